/** Files of other programs: characters, and animations that become clips. */
import { animations } from "kinestitch/worker";
import type { MotionData } from "kinestitch/worker";
import type { Model } from "../viewer/model";

/** Endings of the files that the page opens. */
export const KINDS = ".bvh,.glb,.gltf,.vrm,.fbx,.kinestitch";
export const isModel = ({ name }: File): boolean => /\.(glb|gltf|vrm|fbx)$/i.test(name);
export const isFbx = ({ name }: File): boolean => /\.fbx$/i.test(name);

const chunk = (): Promise<typeof import("../viewer/model")> => import("../viewer/model");
const read = new WeakMap<File, Promise<Model>>();

/** The model in a file, read once. Rejects with a sentence. */
export function modelOf(file: File): Promise<Model> {
  const started = read.get(file) ?? chunk().then(({ readModel }) => readModel(file));
  read.set(file, started);
  return started;
}

/** Names of the animations in a file. */
export async function animationNames(file: File): Promise<string[]> {
  return isFbx(file) ? (await modelOf(file)).animations.map(({ name }) => name) : animations(file);
}

/** An animation of an FBX file as plain values. */
export async function fbxMotion(file: File, animation: string): Promise<MotionData> {
  const [{ fromAnimationClip }, { object, animations }] = await Promise.all([chunk(), modelOf(file)]);
  const found = animations.find(({ name }) => name === animation);
  if (!found) throw new Error(`the file has no animation "${animation}"`);
  return fromAnimationClip(found, object, { load: async (data: MotionData) => data });
}
