/** The bones of a glTF file, and where they are at any time of an animation. */
import type { Character, Local } from "../bones/character.js";
import { type Bone, type Placed, type Rest, restOf } from "../bones/rest.js";
import { treesOf, uniqueNames } from "../bones/tree.js";
import { back, minus, NO_TURN, plus, scaled, times, turned, unit, type Vector } from "../bones/turn.js";
import { KinestitchError } from "../core/error.js";
import { reader } from "./channel.js";
import type { Gltf } from "./container.js";
import type { AnimationChannel, Document, Node } from "./library.js";
import { inverted } from "./matrix.js";
import { movedNodes } from "./moved.js";

const HELD: Local = { place: [0, 0, 0], turn: NO_TURN, scale: [1, 1, 1] };

/** Corners of a box around a mesh, in its own space. */
export type Box = readonly Vector[];

/** The bones of a file: parents first, and what moves them. */
export class GltfBones {
  /** The node of each bone. */
  readonly nodes: readonly Node[];
  readonly rest: Rest;
  /** What was doubtful, for people. */
  readonly warnings: string[] = [];
  #binds = new Map<Node, Placed>();

  /** `file` is what `document` was read from. */
  constructor(document: Document, file: Gltf) {
    const root = document.getRoot();
    const skins = root.listSkins();
    const all = root.listNodes();
    const nodesOf = (indices: Set<number>): Set<Node> => new Set([...indices].flatMap((index) => all[index] ?? []));
    const { moved, animated: turning } = movedNodes(file);
    const [moving, animated] = [nodesOf(moved), nodesOf(turning)];
    const skinned = skins.length > 0 ? skins.map((skin) => skin.listJoints()) : [[...animated]];
    const { joints: tree, others } = treesOf({ parent: (node: Node) => node.getParentNode(), children: (node) => node.listChildren() }, skinned, animated);
    if (tree.length === 0) throw new KinestitchError("glb", "the file holds no skin and no animation: there are no bones in it");
    if (others > 0) this.warnings.push("the file holds several skeletons; the largest is used");
    this.nodes = tree;
    for (const skin of skins) {
      const inverse = skin.getInverseBindMatrices();
      if (inverse) skin.listJoints().forEach((joint, i) => i < inverse.getCount() && this.#binds.set(joint, inverted(inverse.getElement(i, []))));
    }
    const places = this.#placed(new Map());
    const names = uniqueNames(tree.map((node, i) => node.getName() || `bone ${i + 1}`));
    const bones = tree.map((node, i): Bone => {
      const bind = this.#binds.get(node);
      const parent = node.getParentNode();
      return { name: names[i] as string, parent: parent ? tree.indexOf(parent) : -1, now: places[i] as Placed, moves: moving.has(node), ...(bind && { bind }) };
    });
    this.rest = restOf(bones);
    if (this.rest.metresPerUnit !== 1) this.warnings.push("the body is over 20 m tall: its units are read as centimetres");
  }

  /** The body that a motion is put on; `boxes` are around its meshes. */
  character(boxes: readonly Box[]): Character {
    const { rest } = this;
    const held = this.nodes.map((node, i) => {
      if ((rest.bones[i]?.parent ?? -1) >= 0) return undefined;
      const holder = node.getParentNode();
      return holder ? worldOf(holder, new Map(), new Map()) : HELD;
    });
    const scales = this.#placed(new Map()).map(({ scale }) => scale);
    return { rest, held, scales, lowest: Math.min(...this.#heights(boxes)) };
  }

  /** Heights that a body at rest reaches, among them the lowest one. */
  #heights(boxes: readonly Box[]): number[] {
    const heights = this.rest.bones.map(({ place }) => place[1]);
    const index = this.nodes.findIndex((node) => this.#binds.has(node));
    const [bone, bind] = [this.rest.bones[index], this.#binds.get(this.nodes[index] as Node)];
    if (!bone || !bind) return heights;
    // All of a skin at rest stands where one of its bones takes it.
    const whole = times(bone.turn, back(bind.turn));
    const scale = this.#scale();
    const aside = minus(bone.place, turned(whole, scaled(bind.place, scale)));
    const corners = boxes.flat().map((corner) => plus(aside, turned(whole, scaled(corner, scale))));
    return corners.length > 0 ? corners.map(([, y]) => y) : heights;
  }

  /** What the whole skin is scaled by, by the length of its bones. */
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

  /** Where the bones are, as channels have it that are given, and else as their nodes stand. */
  #placed(channels: ReadonlyMap<Node, Partial<Local>>): Local[] {
    const known = new Map<Node, Local>();
    return this.nodes.map((node) => worldOf(node, channels, known));
  }

  /** Where the bones are at times of an animation, seconds. */
  sampled(channels: readonly AnimationChannel[], moments: readonly number[]): Placed[][] {
    const tracks = channels.flatMap((channel) => {
      const [node, path] = [channel.getTargetNode(), channel.getTargetPath()];
      const key = path === "translation" ? "place" : path === "rotation" ? "turn" : path === "scale" ? "scale" : undefined;
      return node && key ? [{ node, key, read: reader(channel) }] : [];
    });
    return moments.map((time) => {
      const locals = new Map<Node, Partial<Local>>();
      for (const { node, key, read } of tracks) locals.set(node, { ...locals.get(node), [key]: read(time) });
      return this.#placed(locals);
    });
  }
}

function worldOf(node: Node, channels: ReadonlyMap<Node, Partial<Local>>, known: Map<Node, Local>): Local {
  const found = known.get(node);
  if (found) return found;
  const local: Local = { place: node.getTranslation(), turn: node.getRotation(), scale: node.getScale(), ...channels.get(node) };
  const parent = node.getParentNode();
  const { place, turn, scale } = parent ? worldOf(parent, channels, known) : HELD;
  const stretched = (by: Vector): Vector => [by[0] * scale[0], by[1] * scale[1], by[2] * scale[2]];
  const world = { place: plus(place, turned(turn, stretched(local.place))), turn: unit(times(turn, unit(local.turn))), scale: stretched(local.scale) };
  known.set(node, world);
  return world;
}
