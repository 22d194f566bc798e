/** Opens a glTF file: finds its bones, and their roles in a VRM file. */
import type { RigEdits } from "../core/types.js";
import { AccessorReader } from "./accessor.js";
import { type FileBones, findBones } from "./bones.js";
import type { Gltf } from "./document.js";
import { readHumanoid } from "./humanoid.js";

/** A file and its bones. */
export interface OpenedFile {
  file: Gltf;
  accessors: AccessorReader;
  bones: FileBones;
}

/** Opens a file: finds its bones. */
export function openFile(file: Gltf): OpenedFile {
  const accessors = new AccessorReader(file);
  return { file, accessors, bones: findBones(file, accessors) };
}

/** Reads the bone mapping of a VRM file; `undefined` for other files. */
export function readRig({ json }: Gltf, { nodes, rest }: FileBones): RigEdits | undefined {
  const humanoid = readHumanoid(json);
  const roles = nodes.map((node, i) => [humanoid.get(node), rest.bones[i]?.name]);
  const mapped = roles.filter(([role]) => role !== undefined);
  return mapped.length > 0 ? (Object.fromEntries(mapped) as RigEdits) : undefined;
}
