// An independent reader of BVH files: the definition of the format by Meredith and Maddock (2001), and nothing else. The
// positions are in the units and axes of the file.

const AXES = { X: 0, Y: 1, Z: 2 };

/** Multiplies two 3 × 3 matrices in rows. */
const multiply = (a, b) =>
  [0, 1, 2].map((row) => [0, 1, 2].map((column) => a[row].reduce((sum, value, k) => sum + value * b[k][column], 0)));
const apply = (m, v) => m.map((row) => row[0] * v[0] + row[1] * v[1] + row[2] * v[2]);
const IDENTITY = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

/** Returns the rotation about an axis by an angle in degrees. */
function rotation(axis, degrees) {
  const [s, c] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)];
  if (axis === 0)
    return [
      [1, 0, 0],
      [0, c, -s],
      [0, s, c],
    ];
  if (axis === 1)
    return [
      [c, 0, s],
      [0, 1, 0],
      [-s, 0, c],
    ];
  return [
    [c, -s, 0],
    [s, c, 0],
    [0, 0, 1],
  ];
}

/** Reads a file. Returns its joints, the number of frames, and the world positions of the joints in a frame. */
export function readBvh(text) {
  const words = text.split(/\s+/).filter(Boolean);
  const joints = [];
  const parents = [];
  let [at, channelCount, isSite] = [0, 0, false];
  for (; at < words.length && words[at].toUpperCase() !== "MOTION"; at++) {
    const word = words[at].toUpperCase();
    if (word === "ROOT" || word === "JOINT") {
      let name = words[++at];
      while (words[at + 1] !== "{") name += ` ${words[++at]}`;
      joints.push({ name, parent: parents.at(-1) ?? -1, offset: [0, 0, 0], channels: [] });
    } else if (word === "END") isSite = true;
    else if (word === "{") parents.push(isSite ? -1 : joints.length - 1);
    else if (word === "}") {
      parents.pop();
      isSite = false;
    } else if (word === "OFFSET") {
      const offset = [1, 2, 3].map((k) => Number(words[at + k]));
      if (!isSite) joints.at(-1).offset = offset;
      at += 3;
    } else if (word === "CHANNELS") {
      const count = Number(words[at + 1]);
      joints.at(-1).channels = words.slice(at + 2, at + 2 + count);
      joints.at(-1).first = channelCount;
      channelCount += count;
      at += 1 + count;
    }
  }
  const frameTime = Number(words[at + 5]);
  const start = at + 6;
  // The rows that are complete: the last one of a damaged file may be cut.
  const rows = Math.floor((words.length - start) / Math.max(1, channelCount));
  const frames = Math.min(Math.floor(Number(words[at + 2])), rows);
  const value = (frame, channel) => Number(words[start + frame * channelCount + channel]);
  /** `addsRoot`: whether the channels of roots are added to their OFFSET. */
  const positionsAt = (frame, addsRoot = false) => {
    const worlds = [];
    for (const { parent, offset, channels, first } of joints) {
      let [local, place] = [IDENTITY, [...offset]];
      channels.forEach((channel, i) => {
        const axis = AXES[channel[0].toUpperCase()];
        const base = addsRoot && parent < 0 ? offset[axis] : 0;
        if (/position$/i.test(channel)) place[axis] = base + value(frame, first + i);
        else local = multiply(local, rotation(axis, value(frame, first + i)));
      });
      const world = worlds[parent];
      const position = world ? apply(world.rotation, place).map((x, axis) => x + world.position[axis]) : place;
      worlds.push({ rotation: world ? multiply(world.rotation, local) : local, position });
    }
    return worlds.map(({ position }) => position);
  };
  return { joints, frames, frameTime, positionsAt };
}
