/** A character that plays an animation. */
import { AnimationMixer, Box3, type AnimationClip, type Object3D, type SkinnedMesh } from "three";

/** Distance that is kept from the end of an animation, seconds: at its exact end, the mixer starts again. */
const END_MARGIN_SECS = 1e-6;

/** A model that is posed by one animation. */
export class Puppet {
  readonly object: Object3D;
  /** Height of the bounding box of all meshes in the pose at creation, hats and props included, metres; at least 0.05. */
  readonly height: number;
  #mixer: AnimationMixer;
  #end: number;

  /** Creates a puppet that controls `object` exclusively. */
  constructor(object: Object3D, animation: AnimationClip) {
    this.object = object;
    const { min, max } = new Box3().setFromObject(this.object, true);
    this.height = Math.max(0.05, max.y - min.y);
    this.#mixer = new AnimationMixer(this.object);
    this.#end = Math.max(0, animation.duration - END_MARGIN_SECS);
    this.#mixer.clipAction(animation).play();
  }

  pose(seconds: number): void {
    this.#mixer.setTime(Math.max(0, Math.min(this.#end, seconds)));
  }

  /** Removes the object, and frees its skeletons. Geometry and materials stay, because other copies share them. */
  dispose(): void {
    this.#mixer.stopAllAction();
    this.#mixer.uncacheRoot(this.object);
    this.object.traverse((node) => (node as SkinnedMesh).isSkinnedMesh && (node as SkinnedMesh).skeleton.dispose());
    this.object.removeFromParent();
  }
}
