import { AnimationClip, Euler, Quaternion, QuaternionKeyframeTrack } from "three";

/** Creates an animation that waves the right arm: rotations of two bones relative to their rest pose. */
export function createWave(model) {
  const track = (name, rotations) => {
    const bone = model.getObjectByName(name);
    const values = rotations.flatMap((angles) =>
      bone.quaternion
        .clone()
        .multiply(new Quaternion().setFromEuler(new Euler(...angles)))
        .toArray(),
    );
    return new QuaternionKeyframeTrack(`${name}.quaternion`, [0, 0.3, 0.6, 0.9, 1.2], values);
  };
  return new AnimationClip("wave", 1.2, [
    track("mixamorigRightArm", Array(5).fill([0, 0, 0.1])),
    track(
      "mixamorigRightForeArm",
      [-1.4, -1.8, -1.1, -1.8, -1.4].map((bend) => [0, 0, bend]),
    ),
  ]);
}
