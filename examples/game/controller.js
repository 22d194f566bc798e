/** Turn rate while a turn key is pressed, radians per second. */
const TURN_RATE = 2.2;
/** Distance of the walls from the centre of the ground, metres. */
const WALL_DISTANCE = 9.5;

/**
 * Creates the controller of the game: a function that moves the model by one frame, and stops it at the walls. Its
 * arguments: duration of the frame, and turn, 1 to the left, -1 to the right, 0 for none.
 */
export function createGameController({ model, transitions }) {
  return (seconds, turn) => {
    const { position, quaternion } = transitions.update(seconds);
    model.position.add(position.clone().applyQuaternion(model.quaternion));
    model.position.x = Math.min(WALL_DISTANCE, Math.max(-WALL_DISTANCE, model.position.x));
    model.position.z = Math.min(WALL_DISTANCE, Math.max(-WALL_DISTANCE, model.position.z));
    model.quaternion.multiply(quaternion);
    model.rotateY(turn * TURN_RATE * seconds);
  };
}
