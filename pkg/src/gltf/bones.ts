/** Bones of a glTF file, and their world transforms at any time of an animation. */
import type { Character, ScaledTransform } from "../bones/character.js";
import { type Bone, type Transform, type RestPose, createRestPose } from "../bones/rest.js";
import { findSkeleton, makeUnique } from "../bones/tree.js";
import {
  invert,
  subtract,
  IDENTITY,
  add,
  scaleBy,
  multiply,
  rotate,
  normalize,
  type Vector,
} from "../bones/rotation.js";
import { KinestitchError } from "../core/error.js";
import { createReader } from "./channel.js";
import type { AnimationChannel, Document, Node } from "./library.js";
import { MAX_BONES, limitError } from "./limits.js";
import { invertBindMatrix } from "./matrix.js";

const IDENTITY_TRANSFORM: ScaledTransform = { position: [0, 0, 0], rotation: IDENTITY, scale: [1, 1, 1] };

/** The eight corners of a box around a mesh, in mesh coordinates. */
export type Box = readonly Vector[];

/** Bones of a file, parents before children, and their transforms at any time of an animation. */
export class GltfBones {
  /** The node of each bone. */
  readonly nodes: readonly Node[];
  readonly rest: RestPose;
  /** Warnings for the user; each is one sentence. */
  readonly warnings: string[] = [];
  #binds = new Map<Node, Transform>();
  /** Parents of nodes; cached, because the library searches all edges of its graph for a node's parent. */
  #parents = new Map<Node, Node>();
  #locals = new Map<Node, ScaledTransform>();

  /** `moving`: nodes that any animation of the file translates; `animated`: nodes that any animation changes. */
  constructor(document: Document, { moving, animated }: { moving: ReadonlySet<Node>; animated: ReadonlySet<Node> }) {
    const root = document.getRoot();
    const skins = root.listSkins();
    for (const node of root.listNodes()) for (const child of node.listChildren()) this.#parents.set(child, node);
    const skinned = skins.length > 0 ? skins.map((skin) => skin.listJoints()) : [[...animated]];
    const nodes = { parent: (node: Node) => this.#parentOf(node), children: (node: Node) => node.listChildren() };
    const { joints: boneNodes, otherSkeletons } = findSkeleton(nodes, skinned, animated);
    if (boneNodes.length === 0)
      throw new KinestitchError("glb", "the file has no bones: neither a skin nor an animation");
    if (boneNodes.length > MAX_BONES) throw limitError(`${boneNodes.length.toLocaleString("en")} bones`, MAX_BONES);
    if (otherSkeletons > 0) this.warnings.push("the file has several skeletons; only the largest is used");
    this.nodes = boneNodes;
    for (const skin of skins) {
      const inverseBinds = skin.getInverseBindMatrices();
      if (inverseBinds)
        skin
          .listJoints()
          .forEach(
            (joint, i) =>
              i < inverseBinds.getCount() && this.#binds.set(joint, invertBindMatrix(inverseBinds.getElement(i, []))),
          );
    }
    const transforms = this.#transforms(new Map());
    const names = makeUnique(boneNodes.map((node, i) => node.getName() || `bone ${i + 1}`));
    const indices = new Map(boneNodes.map((node, i) => [node, i]));
    const bones = boneNodes.map((node, i): Bone => {
      const bind = this.#binds.get(node);
      const parent = this.#parentOf(node);
      return {
        name: names[i] as string,
        parent: (parent && indices.get(parent)) ?? -1,
        current: transforms[i] as Transform,
        moves: moving.has(node),
        ...(bind && { bind }),
      };
    });
    this.rest = createRestPose(bones);
    if (this.rest.metresPerUnit !== 1)
      this.warnings.push("the body would be over 20 m tall, so its positions are read as centimetres");
  }

  #parentOf(node: Node): Node | null {
    return this.#parents.get(node) ?? null;
  }

  /** Returns the bones for `computeTracks`. `boxes`: boxes around the meshes, for the lowest point of the body. */
  character(boxes: readonly Box[]): Character {
    const { rest } = this;
    const rootParents = this.nodes.map((node, i) => {
      if ((rest.bones[i]?.parent ?? -1) >= 0) return undefined;
      const rootParent = this.#parentOf(node);
      return rootParent ? this.#worldTransform(rootParent, new Map(), new Map()) : IDENTITY_TRANSFORM;
    });
    const scales = this.#transforms(new Map()).map(({ scale }) => scale);
    return { rest, rootParents, scales, lowest: this.#heights(boxes).reduce((a, b) => Math.min(a, b)) };
  }

  /** Returns heights of points of the body at rest: corners of the boxes, or the bones if there are no boxes. */
  #heights(boxes: readonly Box[]): number[] {
    const heights = this.rest.bones.map(({ position }) => position[1]);
    const index = this.nodes.findIndex((node) => this.#binds.has(node));
    const [bone, bind] = [this.rest.bones[index], this.#binds.get(this.nodes[index] as Node)];
    if (!bone || !bind) return heights;
    // At rest, all bones transform the skin equally, so the transform of one bone is sufficient.
    const skinRotation = multiply(bone.rotation, invert(bind.rotation));
    const scale = this.#measureScale();
    const skinPosition = subtract(bone.position, rotate(skinRotation, scaleBy(bind.position, scale)));
    const corners = boxes.flat().map((corner) => add(skinPosition, rotate(skinRotation, scaleBy(corner, scale))));
    return corners.length > 0 ? corners.map(([, y]) => y) : heights;
  }

  /** Returns the ratio of bone lengths at rest to bone lengths in the bind pose. */
  #measureScale(): number {
    let [restLength, bindLength] = [0, 0];
    this.rest.bones.forEach(({ position, parent }, i) => {
      const parentBone = this.rest.bones[parent];
      const binds = [this.#binds.get(this.nodes[i] as Node), this.#binds.get(this.nodes[parent] as Node)];
      if (!parentBone || !binds[0] || !binds[1]) return;
      restLength += Math.hypot(...subtract(position, parentBone.position));
      bindLength += Math.hypot(...subtract(binds[0].position, binds[1].position));
    });
    return restLength / bindLength || 1;
  }

  /** Computes world transforms of the bones; a property that `channels` lacks is taken from the node. */
  #transforms(channels: ReadonlyMap<Node, Partial<ScaledTransform>>): ScaledTransform[] {
    const computed = new Map<Node, ScaledTransform>();
    return this.nodes.map((node) => this.#worldTransform(node, channels, computed));
  }

  #worldTransform(
    node: Node,
    channels: ReadonlyMap<Node, Partial<ScaledTransform>>,
    computed: Map<Node, ScaledTransform>,
  ): ScaledTransform {
    const cached = computed.get(node);
    if (cached) return cached;
    const parent = this.#parentOf(node);
    const world = childTransform(parent ? this.#worldTransform(parent, channels, computed) : IDENTITY_TRANSFORM, {
      ...this.#localTransform(node),
      ...channels.get(node),
    });
    computed.set(node, world);
    return world;
  }

  /** Returns the local transform of a node in the file. */
  #localTransform(node: Node): ScaledTransform {
    const cached = this.#locals.get(node) ?? {
      position: node.getTranslation(),
      rotation: node.getRotation(),
      scale: node.getScale(),
    };
    this.#locals.set(node, cached);
    return cached;
  }

  /** Creates a function that computes the world transforms of the bones at a time of an animation, seconds. */
  sampler(channels: readonly AnimationChannel[]): (time: number) => Transform[] {
    const tracks = channels.flatMap((channel): Track[] => {
      const [node, path] = [channel.getTargetNode(), channel.getTargetPath()];
      const key =
        path === "translation" ? "position" : path === "rotation" ? "rotation" : path === "scale" ? "scale" : undefined;
      return node && key ? [{ node, key, read: createReader(channel) }] : [];
    });
    const indices = new Map(this.nodes.map((node, bone) => [node, bone]));
    // The animation also moves other nodes, which may be ancestors of bones; this is rare and slower.
    if (tracks.some(({ node }) => !indices.has(node))) return (time) => this.#transforms(sampleLocals(tracks, time));
    const rest = this.#transforms(new Map());
    const parents = this.rest.bones.map(({ parent }) => parent);
    const rootParents = this.nodes.map((node, bone) => {
      const rootParent = (parents[bone] as number) < 0 ? this.#parentOf(node) : null;
      return rootParent ? this.#worldTransform(rootParent, new Map(), new Map()) : IDENTITY_TRANSFORM;
    });
    const targets = new Set(tracks.map(({ node }) => node));
    const isMoving: boolean[] = [];
    this.nodes.forEach((node, bone) => isMoving.push(targets.has(node) || isMoving[parents[bone] as number] === true));
    const moved = [...this.nodes.keys()].filter((bone) => isMoving[bone]);
    return (time) => {
      const locals = sampleLocals(tracks, time);
      const worlds = rest.slice();
      for (const bone of moved) {
        const node = this.nodes[bone] as Node;
        const local = this.#localTransform(node);
        const sampledLocal = locals.get(node);
        worlds[bone] = childTransform(
          worlds[parents[bone] as number] ?? (rootParents[bone] as ScaledTransform),
          sampledLocal ? { ...local, ...sampledLocal } : local,
        );
      }
      return worlds;
    };
  }
}

/** The animated property of a node. */
interface Track {
  node: Node;
  key: keyof ScaledTransform;
  read(time: number): readonly number[];
}

/** Evaluates all tracks at a time; returns the animated properties by node. */
function sampleLocals(tracks: readonly Track[], time: number): Map<Node, Partial<ScaledTransform>> {
  const locals = new Map<Node, Partial<ScaledTransform>>();
  for (const { node, key, read } of tracks) {
    const sampledLocal: Partial<Record<keyof ScaledTransform, readonly number[]>> = locals.get(node) ?? {};
    sampledLocal[key] = read(time);
    locals.set(node, sampledLocal as Partial<ScaledTransform>);
  }
  return locals;
}

/** Returns the world transform of a child from its parent's world transform and its local transform. */
function childTransform({ position, rotation, scale }: ScaledTransform, local: ScaledTransform): ScaledTransform {
  const multiplyScale = ([x, y, z]: Vector): Vector => [x * scale[0], y * scale[1], z * scale[2]];
  return {
    position: add(position, rotate(rotation, multiplyScale(local.position))),
    rotation: normalize(multiply(rotation, normalize(local.rotation))),
    scale: multiplyScale(local.scale),
  };
}
