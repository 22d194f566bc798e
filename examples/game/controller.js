/** Radians a second that keys turn the character by. */
const TURN = 2.2;
/** Half of the ground's width, metres. */
const WALL = 9.5;

/** The game's own controller: where the character goes is up to it. Returns what a frame moves the model by. */
export function controllerOf({ model, transitions }) {
  return (seconds, turn) => {
    const { position, quaternion } = transitions.update(seconds);
    model.position.add(position.clone().applyQuaternion(model.quaternion));
    model.position.x = Math.min(WALL, Math.max(-WALL, model.position.x));
    model.position.z = Math.min(WALL, Math.max(-WALL, model.position.z));
    model.quaternion.multiply(quaternion);
    model.rotateY(turn * TURN * seconds);
  };
}
