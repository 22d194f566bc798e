/** The content of an FBX file, as the wasm module takes it. Metres. */
import type { Rotation, Vector } from "../bones/rotation.js";

/** A node of the tree; parents come before children. */
export interface FbxNode {
  name: string;
  /** Index of the parent; -1 for a root. */
  parent: number;
  translation: Vector;
  rotation: Rotation;
  scale: Vector;
  isBone: boolean;
}

/** Motion of a node: quaternions [frames × 4] and positions [frames × 3] in its parent. */
export interface FbxTrack {
  node: number;
  rotations?: Float32Array;
  translations?: Float32Array;
}

/** A skinned mesh. */
export interface FbxMesh {
  name: string;
  /** In the bind pose, world axes: [vertices × 3]. */
  positions: Float32Array;
  normals: Float32Array;
  /** (0, 0) is the lower left corner: [vertices × 2]. */
  uvs: Float32Array;
  /** [triangles × 3]. */
  indices: Uint32Array;
  /** Bones of the mesh, with their world transforms in the bind pose, column by column. */
  joints: { node: number; bind: Float32Array }[];
  /** Indices in `joints` and their weights, equally many for each vertex. */
  influences: Uint32Array;
  weights: Float32Array;
  /** Base colour: red, green and blue. */
  color: [number, number, number];
}

/** Nodes, motion and meshes. */
export interface FbxScene {
  name: string;
  fps: number;
  frames: number;
  nodes: FbxNode[];
  tracks: FbxTrack[];
  meshes: FbxMesh[];
}
