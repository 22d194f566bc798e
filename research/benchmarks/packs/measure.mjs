// For packs.mjs: plays a transition there and back, and measures it.
import { AnimationMixer, Vector3 } from "three";

const FPS = 60;
const degrees = (radians) => (radians * 180) / Math.PI;
const wrap = (angle) => angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));

/** Records the world positions of the bones, m of a person of 1.6 m from toe to head. */
const positionsOf = ({ scene, bones, size }) => {
  scene.updateMatrixWorld(true);
  return bones.map((bone) => bone.getWorldPosition(new Vector3()).multiplyScalar(1.6 / size));
};

/** Returns the yaw of the line from right to left of each pair of bones, radians. */
const yawsOf = ({ bones, sides }, positions) =>
  sides.map(([left, right]) => {
    const { x, z } = positions[bones.indexOf(left)].clone().sub(positions[bones.indexOf(right)]);
    return Math.atan2(-z, x);
  });

/** Plays a clip alone, and returns its frames and its yaws per frame. */
function playAlone(actor, clip) {
  const mixer = new AnimationMixer(actor.scene);
  mixer.clipAction(clip).play();
  const frames = [];
  for (let time = 0; time < clip.duration; time += 1 / FPS) {
    mixer.setTime(time);
    frames.push(positionsOf(actor));
  }
  mixer.stopAllAction();
  mixer.uncacheRoot(actor.scene);
  return { frames, yaws: frames.map((positions) => yawsOf(actor, positions)) };
}

/** Returns the angle by which the body has turned against plain playback of a clip at a time, radians. */
function turnedBy(actor, frame, { yaws }, time) {
  const plain = yaws[Math.min(yaws.length - 1, Math.round(time * FPS))];
  const angles = yawsOf(actor, frame).map((yaw, i) => wrap(yaw - plain[i]));
  return angles.length === 0
    ? 0
    : Math.atan2(...["sin", "cos"].map((name) => angles.reduce((sum, angle) => sum + Math[name](angle), 0)));
}

/** Returns the smoothed accelerations (30 fps, σ = 1 frame) of all bones, m/s². */
function accelerations(frames) {
  const halved = frames.filter((_, i) => i % 2 === 0);
  const weights = [-2, -1, 0, 1, 2].map((offset) => Math.exp(-(offset ** 2) / 2));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const result = [];
  for (let i = 3; i + 3 < halved.length; i++)
    for (let bone = 0; bone < halved[i].length; bone++) {
      const sum = new Vector3();
      weights.forEach((weight, k) => {
        const at = i + k - 2;
        const [before, now, after] = [halved[at - 1][bone], halved[at][bone], halved[at + 1][bone]];
        sum.addScaledVector(before.clone().add(after).addScaledVector(now, -2), weight / total);
      });
      result.push({ at: i * 2, value: sum.length() * 900 });
    }
  return result;
}

const largestSpeed = (frames) =>
  Math.max(
    ...frames
      .slice(1)
      .map((frame, i) => Math.max(...frame.map((position, bone) => position.distanceTo(frames[i][bone])))),
  ) * FPS;

/** Returns the mean horizontal speed of feet within 2.5 cm of their lowest height, m/s. */
function slideOf({ bones, feet }, frames, floors) {
  let [sum, count] = [0, 0];
  feet.forEach((foot, i) => {
    const bone = bones.indexOf(foot);
    for (let at = 1; at < frames.length; at++) {
      const [a, b] = [frames[at - 1][bone], frames[at][bone]];
      if (Math.max(a.y, b.y) > floors[i] + 0.025) continue;
      sum += Math.hypot(b.x - a.x, b.z - a.z) * FPS;
      count++;
    }
  });
  return count > 0 ? sum / count : 0;
}

/** Plays frames of the transitions; computed joins may arrive between them. */
async function play(actor, transitions, seconds, frames) {
  for (let i = 0; i < Math.round(seconds * FPS); i++) {
    transitions.update(1 / FPS);
    frames.push(positionsOf(actor));
    if (actor.pending.size > 0) await Promise.race([...actor.pending]);
  }
  return frames.length - 1;
}

/** Plays the clip `a`, a transition to `b` and back; returns the measures of packs.mjs. */
export async function measurePair(actor, [a, b], { method, phase, travels }) {
  const { scene, kinestitch } = actor;
  const alone = [a, b].map((clip) => playAlone(actor, clip));
  actor.pending = new Set();
  const stitch = (...args) => {
    const work = kinestitch.stitch(...args);
    const settled = work
      .then(
        () => {},
        () => {},
      )
      .then(() => new Promise((resolve) => setTimeout(resolve)))
      .then(() => actor.pending.delete(settled));
    actor.pending.add(settled);
    return work;
  };
  const { load } = kinestitch;
  const transitions = kinestitch.createTransitions(scene, { load, ...(method === "auto" && { stitch }) });
  await transitions.prepare([a, b]);
  const frames = [];
  transitions.transitionTo(a);
  const request = await play(actor, transitions, 1.2 + phase * a.duration, frames);
  const start = turnedBy(actor, frames[request], alone[0], transitions.current.time);
  const first = transitions.transitionTo(b, { method });
  await play(actor, transitions, 0.2, frames);
  while (first.state !== "over" && frames.length < request + 4 * FPS) await play(actor, transitions, 1 / FPS, frames);
  const end = frames.length - 1;
  const arrived = await play(actor, transitions, 0.5 + (1 - phase) * b.duration, frames);
  const there = turnedBy(actor, frames[arrived], alone[1], transitions.current.time);
  transitions.transitionTo(a, { method });
  const last = await play(actor, transitions, 2.5, frames);
  const back = turnedBy(actor, frames[last], alone[0], transitions.current.time);
  transitions.dispose();
  return {
    join: typeof first.join === "string" ? first.join : "stitched",
    turn: Math.abs(degrees(wrap(there - start))),
    back: Math.abs(degrees(wrap(back - start))),
    stop: travels && /idle/i.test(b.name) ? stopTime(actor, frames, request, arrived) : NaN,
    arrive: (end - request) / FPS,
    ...measureFrames(actor, frames.slice(request - 6, end + 18), alone),
  };
}

/** Returns the time from a request until the hips are slower than 0.3 m/s, seconds. */
function stopTime({ bones, hips }, frames, request, end) {
  const bone = bones.indexOf(hips);
  const speed = (at) => {
    const [a, b] = [frames[at - 3][bone], frames[at][bone]];
    return Math.hypot(b.x - a.x, b.z - a.z) * (FPS / 3);
  };
  if (speed(request) < 0.5) return NaN;
  for (let at = request + 1; at < end; at++) if (speed(at) < 0.3) return (at - request) / FPS;
  return NaN;
}

/** Measures the frames of a transition. `alone`: both clips, played alone. */
function measureFrames(actor, frames, alone) {
  const ownFrames = alone.map((played) => played.frames);
  const own = ownFrames.flatMap((played) =>
    accelerations([...played, ...played.slice(0, 12)]).filter(({ at }) => at + 8 < played.length),
  );
  const ownAccelerations = own.map(({ value }) => value).toSorted((x, y) => x - y);
  const lowestOf = (list) => Math.min(...list.flatMap((frame) => frame.map(({ y }) => y)));
  const floors = actor.feet.map((foot) => {
    const bone = actor.bones.indexOf(foot);
    return Math.min(...ownFrames.flatMap((played) => played.map((frame) => frame[bone].y)));
  });
  return {
    sink: Math.max(0, (Math.min(...ownFrames.map(lowestOf)) - lowestOf(frames)) * 100),
    pop:
      Math.max(...accelerations(frames).map(({ value }) => value)) /
      ownAccelerations[Math.floor(ownAccelerations.length * 0.99)],
    jump: largestSpeed(frames) > 2 * Math.max(...ownFrames.map(largestSpeed)),
    ownSlide: Math.max(...ownFrames.map((played) => slideOf(actor, played, floors))),
    slide: slideOf(actor, frames, floors),
  };
}
