/** The bones of a glTF file, and their transforms at any time of an animation. */
import type { Character, Local } from "../bones/character.js";
import { type Bone, type Placed, type Rest, restOf } from "../bones/rest.js";
import { treesOf, uniqueNames } from "../bones/tree.js";
import { back, minus, NO_TURN, plus, scaled, times, turned, unit, type Vector } from "../bones/turn.js";
import { KinestitchError } from "../core/error.js";
import { reader } from "./channel.js";
import type { AnimationChannel, Document, Node } from "./library.js";
import { MAX_BONES, over } from "./limits.js";
import { inverted } from "./matrix.js";

const HELD: Local = { place: [0, 0, 0], turn: NO_TURN, scale: [1, 1, 1] };

/** Corners of a box around a mesh, in its own space. */
export type Box = readonly Vector[];

/** Bones of a file, parents first, with their animation. */
export class GltfBones {
  /** The node of each bone. */
  readonly nodes: readonly Node[];
  readonly rest: Rest;
  /** Warnings, one sentence each. */
  readonly warnings: string[] = [];
  #binds = new Map<Node, Placed>();
  /** Cached, because the library searches for a node's parent among all edges of its graph. */
  #parents = new Map<Node, Node>();
  #locals = new Map<Node, Local>();

  /** `moving`: nodes translated by any animation of the file; `animated`: nodes with any animation. */
  constructor(document: Document, { moving, animated }: { moving: ReadonlySet<Node>; animated: ReadonlySet<Node> }) {
    const root = document.getRoot();
    const skins = root.listSkins();
    for (const node of root.listNodes()) for (const child of node.listChildren()) this.#parents.set(child, node);
    const skinned = skins.length > 0 ? skins.map((skin) => skin.listJoints()) : [[...animated]];
    const nodes = { parent: (node: Node) => this.#parentOf(node), children: (node: Node) => node.listChildren() };
    const { joints: tree, others } = treesOf(nodes, skinned, animated);
    if (tree.length === 0) throw new KinestitchError("glb", "the file has no skin and no animation, and so no bones");
    if (tree.length > MAX_BONES) throw over(`${tree.length.toLocaleString("en")} bones`, MAX_BONES);
    if (others > 0) this.warnings.push("the file holds several skeletons; the largest is used");
    this.nodes = tree;
    for (const skin of skins) {
      const inverse = skin.getInverseBindMatrices();
      if (inverse)
        skin
          .listJoints()
          .forEach((joint, i) => i < inverse.getCount() && this.#binds.set(joint, inverted(inverse.getElement(i, []))));
    }
    const places = this.#placed(new Map());
    const names = uniqueNames(tree.map((node, i) => node.getName() || `bone ${i + 1}`));
    const indices = new Map(tree.map((node, i) => [node, i]));
    const bones = tree.map((node, i): Bone => {
      const bind = this.#binds.get(node);
      const parent = this.#parentOf(node);
      return {
        name: names[i] as string,
        parent: (parent && indices.get(parent)) ?? -1,
        now: places[i] as Placed,
        moves: moving.has(node),
        ...(bind && { bind }),
      };
    });
    this.rest = restOf(bones);
    if (this.rest.metresPerUnit !== 1)
      this.warnings.push("the body is over 20 m tall: its units are read as centimetres");
  }

  #parentOf(node: Node): Node | null {
    return this.#parents.get(node) ?? null;
  }

  /** The body to which a motion is applied; `boxes` are around its meshes. */
  character(boxes: readonly Box[]): Character {
    const { rest } = this;
    const held = this.nodes.map((node, i) => {
      if ((rest.bones[i]?.parent ?? -1) >= 0) return undefined;
      const holder = this.#parentOf(node);
      return holder ? this.#worldOf(holder, new Map(), new Map()) : HELD;
    });
    const scales = this.#placed(new Map()).map(({ scale }) => scale);
    return { rest, held, scales, lowest: Math.min(...this.#heights(boxes)) };
  }

  /** Heights of a body at rest, including the lowest. */
  #heights(boxes: readonly Box[]): number[] {
    const heights = this.rest.bones.map(({ place }) => place[1]);
    const index = this.nodes.findIndex((node) => this.#binds.has(node));
    const [bone, bind] = [this.rest.bones[index], this.#binds.get(this.nodes[index] as Node)];
    if (!bone || !bind) return heights;
    // At rest, the whole skin is placed by any one of its bones.
    const whole = times(bone.turn, back(bind.turn));
    const scale = this.#scale();
    const aside = minus(bone.place, turned(whole, scaled(bind.place, scale)));
    const corners = boxes.flat().map((corner) => plus(aside, turned(whole, scaled(corner, scale))));
    return corners.length > 0 ? corners.map(([, y]) => y) : heights;
  }

  /** Scale of the whole skin, by the length of its bones. */
  #scale(): number {
    let [here, bound] = [0, 0];
    this.rest.bones.forEach(({ place, parent }, i) => {
      const above = this.rest.bones[parent];
      const binds = [this.#binds.get(this.nodes[i] as Node), this.#binds.get(this.nodes[parent] as Node)];
      if (!above || !binds[0] || !binds[1]) return;
      here += Math.hypot(...minus(place, above.place));
      bound += Math.hypot(...minus(binds[0].place, binds[1].place));
    });
    return here / bound || 1;
  }

  /** Transforms of the bones from the given channels, and else from their nodes. */
  #placed(channels: ReadonlyMap<Node, Partial<Local>>): Local[] {
    const known = new Map<Node, Local>();
    return this.nodes.map((node) => this.#worldOf(node, channels, known));
  }

  #worldOf(node: Node, channels: ReadonlyMap<Node, Partial<Local>>, known: Map<Node, Local>): Local {
    const found = known.get(node);
    if (found) return found;
    const parent = this.#parentOf(node);
    const world = below(parent ? this.#worldOf(parent, channels, known) : HELD, {
      ...this.#localOf(node),
      ...channels.get(node),
    });
    known.set(node, world);
    return world;
  }

  /** Transform of a node in the file. */
  #localOf(node: Node): Local {
    const found = this.#locals.get(node) ?? {
      place: node.getTranslation(),
      turn: node.getRotation(),
      scale: node.getScale(),
    };
    this.#locals.set(node, found);
    return found;
  }

  /** Transforms of the bones at any time of an animation, seconds. */
  sampler(channels: readonly AnimationChannel[]): (time: number) => Placed[] {
    const tracks = channels.flatMap((channel): Track[] => {
      const [node, path] = [channel.getTargetNode(), channel.getTargetPath()];
      const key =
        path === "translation" ? "place" : path === "rotation" ? "turn" : path === "scale" ? "scale" : undefined;
      return node && key ? [{ node, key, read: reader(channel) }] : [];
    });
    const indices = new Map(this.nodes.map((node, bone) => [node, bone]));
    // An animation scales a parent of the skeleton: rare, and slower.
    if (tracks.some(({ node }) => !indices.has(node))) return (time) => this.#placed(localsOf(tracks, time));
    const rest = this.#placed(new Map());
    const parents = this.rest.bones.map(({ parent }) => parent);
    const holders = this.nodes.map((node, bone) => {
      const holder = (parents[bone] as number) < 0 ? this.#parentOf(node) : null;
      return holder ? this.#worldOf(holder, new Map(), new Map()) : HELD;
    });
    const targets = new Set(tracks.map(({ node }) => node));
    const turning: boolean[] = [];
    this.nodes.forEach((node, bone) => turning.push(targets.has(node) || turning[parents[bone] as number] === true));
    const moved = [...this.nodes.keys()].filter((bone) => turning[bone]);
    return (time) => {
      const locals = localsOf(tracks, time);
      const worlds = rest.slice();
      for (const bone of moved) {
        const node = this.nodes[bone] as Node;
        const local = this.#localOf(node);
        const own = locals.get(node);
        worlds[bone] = below(
          worlds[parents[bone] as number] ?? (holders[bone] as Local),
          own ? { ...local, ...own } : local,
        );
      }
      return worlds;
    };
  }
}

interface Track {
  node: Node;
  key: keyof Local;
  read(time: number): readonly number[];
}

function localsOf(tracks: readonly Track[], time: number): Map<Node, Partial<Local>> {
  const locals = new Map<Node, Partial<Local>>();
  for (const { node, key, read } of tracks) {
    const own: Partial<Record<keyof Local, readonly number[]>> = locals.get(node) ?? {};
    own[key] = read(time);
    locals.set(node, own as Partial<Local>);
  }
  return locals;
}

/** World transform of a child. */
function below({ place, turn, scale }: Local, local: Local): Local {
  const stretched = (by: Vector): Vector => [by[0] * scale[0], by[1] * scale[1], by[2] * scale[2]];
  return {
    place: plus(place, turned(turn, stretched(local.place))),
    turn: unit(times(turn, unit(local.turn))),
    scale: stretched(local.scale),
  };
}
