// For cli-output.test.mjs, which preloads it (node --import): faults in calls of one function of node:fs. The
// environment variable FAULT is a JSON object with `call`, `at`, and one of `code`, `signal` and `short`:
//     call    name of the function, such as "writeSync"
//     at      number of the call that has the fault, from 1 (the default); 0: every call
//     code    the call throws an error with this code, such as "EIO"
//     signal  the process sends itself this signal before the call
//     short   the call writes at most this number of bytes
// Calls of writeSync on standard output and standard error have the fault only if FAULT_STANDARD is "1".
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const { call, at = 1, code, signal, short } = JSON.parse(process.env.FAULT ?? "{}");
const original = fs[call];
let count = 0;
fs[call] = (...args) => {
  // Node's own streams also write to the descriptors 1 and 2.
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
