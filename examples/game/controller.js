/** Turn rate while a key is pressed, radians per second. */
const TURN = 2.2;
/** Half of the ground's width, metres. */
const WALL = 9.5;

/** Creates the game's own controller: a function that moves the model per frame, and stops it at the walls. */
export function createGameController({ model, transitions }) {
  return (seconds, turn) => {
    const { position, quaternion } = transitions.update(seconds);
    model.position.add(position.clone().applyQuaternion(model.quaternion));
    model.position.x = Math.min(WALL, Math.max(-WALL, model.position.x));
    model.position.z = Math.min(WALL, Math.max(-WALL, model.position.z));
    model.quaternion.multiply(quaternion);
    model.rotateY(turn * TURN * seconds);
  };
}
