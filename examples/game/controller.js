/** Turn rate of the keys, radians per second. */
const TURN = 2.2;
/** Half of the ground's width, metres. */
const WALL = 9.5;

/** The game's own controller, which decides where the character goes. Returns the model's movement per frame. */
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
