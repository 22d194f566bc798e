// Preloaded by tests (node --import): makes one call of node:fs fail, write less than requested, or end in a signal.
// FAULT is JSON: { call: name of the function, at: index of the call (from 1; 0: all calls), code | signal |
// short: largest number of bytes to write }
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const { call, at = 1, code, signal, short } = JSON.parse(process.env.FAULT ?? "{}");
const original = fs[call];
let count = 0;
fs[call] = (...args) => {
  // Fails only calls of the command line itself: Node's own streams write to descriptors 1 and 2.
  const isOurs = call !== "writeSync" || args[0] > 2 || process.env.FAULT_STANDARD === "1";
  if (!isOurs || (++count !== at && at !== 0)) return original(...args);
  if (short !== undefined)
    return original(args[0], args[1], args[2] ?? 0, Math.min(short, args[3] ?? args[1].length - (args[2] ?? 0)));
  if (code !== undefined)
    throw Object.assign(new Error(`${code}: made by the test, ${call}`), { code, path: undefined });
  process.kill(process.pid, signal);
  return original(...args);
};
syncBuiltinESMExports();
