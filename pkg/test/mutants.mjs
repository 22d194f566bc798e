// For mutated-files.test.mjs and fuzz/parsers.mjs: makes mutants of valid documents and files, determined by a seed.

/** Returns a generator of pseudo-random integers (mulberry32): `random(limit)` is from 0 to limit - 1. */
export function randomIntegers(seed) {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % limit;
  };
}

const WRONG_VALUES = [
  null,
  5,
  -1,
  0.5,
  1e9,
  4294967296,
  1e308,
  "",
  "text",
  "__proto__",
  "data:,%zz",
  "../x",
  "x".repeat(5000),
  "\u001b[2J\u202e",
  true,
  [],
  {},
  [null],
  [[]],
  [0],
  { a: 1 },
];

/** Returns a copy of a document with one to three properties changed, removed, duplicated, renamed or replaced. */
export function mutateDocument(json, random) {
  const copy = structuredClone(json);
  for (let change = random(3); change >= 0; change--) {
    const properties = [];
    (function visit(value) {
      for (const key of Object.keys(value)) {
        properties.push([value, key]);
        if (typeof value[key] === "object" && value[key] !== null) visit(value[key]);
      }
    })(copy);
    if (properties.length === 0) continue;
    const [holder, key] = properties[random(properties.length)];
    const [sourceHolder, sourceKey] = properties[random(properties.length)];
    const operation = random(6);
    if (operation === 0) delete holder[key];
    else if (operation === 1) holder[key] = structuredClone(sourceHolder[sourceKey]);
    else if (operation === 2 && typeof holder[key] === "number") holder[key] += random(7) - 3;
    else if (operation === 3 && Array.isArray(holder)) holder.push(structuredClone(holder[key]));
    else if (operation === 4 && !Array.isArray(holder)) {
      // An own property whatever its name, as with JSON.parse.
      const value = { value: holder[key], enumerable: true, configurable: true, writable: true };
      delete holder[key];
      Object.defineProperty(holder, ["__proto__", "constructor", sourceKey, ""][random(4)], value);
    } else holder[key] = structuredClone(WRONG_VALUES[random(WRONG_VALUES.length)]);
  }
  return copy;
}

/**
 * Returns a copy of a file with some bytes changed; it may also be truncated, or have bytes duplicated. In half of the
 * mutants, only bytes of the first `headerLength` bytes are changed.
 */
export function mutateBytes(bytes, random, headerLength) {
  let file = bytes.slice();
  const changedLength = random(2) ? file.length : Math.min(headerLength, file.length);
  for (let change = random(4); change >= 0 && changedLength > 0; change--) file[random(changedLength)] = random(256);
  const operation = random(8);
  if (operation < 2) file = file.subarray(0, random(file.length + 1));
  else if (operation === 2) {
    const from = random(file.length + 1);
    file = Buffer.concat([file.subarray(0, from), file.subarray(random(from + 1))]);
  }
  return new Uint8Array(file);
}
