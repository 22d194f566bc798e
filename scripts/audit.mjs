// Checks licences, sources and known vulnerabilities of all compiled and bundled packages: cargo-deny with deny.toml,
// and npm audit. If a database cannot be reached, the check is skipped and the reason is printed.
//
//     node scripts/audit.mjs          also: part of npm run lint
import { spawnSync } from "node:child_process";
import { BUNDLED } from "./notices.mjs";
import { root, runScript, UserError } from "./shell.mjs";
import { cargoDenyEnv } from "./tools.mjs";

/** Error messages that mean an unreachable service instead of a finding. */
const UNREACHABLE =
  /audit endpoint returned an error|ENOAUDIT|ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|failed to fetch advisory database/;

/** Runs a command. Returns whether it succeeded, its standard output, and all output. */
function capture(command, args, env = {}) {
  console.log(`$ ${[command, ...args].join(" ")}`);
  const result = spawnSync(command, args, {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, ...env },
    timeout: 300_000,
    maxBuffer: 2 ** 28,
  });
  return {
    ok: result.status === 0,
    stdout: result.stdout ?? "",
    text: `${result.stdout ?? ""}${result.stderr ?? ""}${result.error?.message ?? ""}`,
  };
}

const lastLines = (text, count) => text.trim().split("\n").slice(-count).join("\n");

/** Runs one check. Returns its name if it failed. If its service is unreachable, prints the reason and passes. */
function check(name, command, args, env) {
  const { ok, text } = capture(command, args, env);
  if (ok) return console.log(`ok      ${name}`);
  const reason = UNREACHABLE.exec(text)?.[0];
  if (reason) return console.log(`skipped ${name}: ${reason}`);
  console.log(lastLines(text, 60));
  return name;
}

/** Returns one line per advisory on one of the packages `names`. `report`: JSON report of `npm audit`. */
const advisoriesOn = ({ vulnerabilities }, names) =>
  names.flatMap((name) =>
    // A string in `via` is the name of a dependency with an advisory.
    (vulnerabilities[name]?.via ?? [])
      .filter((advisory) => typeof advisory === "object")
      .map(({ title, range, url }) => `${name} ${range}: ${title} (${url})`),
  );

/** Checks the bundled packages, many of which are development dependencies; like {@link check}. */
function checkBundled() {
  const name = "known vulnerabilities of bundled npm packages";
  const { stdout, text } = capture("npm", ["audit", "--json"]);
  // The report of a request that failed has no vulnerabilities; without npm, there is no report.
  const report = stdout.startsWith("{") ? JSON.parse(stdout) : {};
  if (!report.vulnerabilities) {
    const reason = UNREACHABLE.exec(text)?.[0];
    if (reason) return console.log(`skipped ${name}: ${reason}`);
    console.log(lastLines(text, 60));
    return name;
  }
  const advisories = advisoriesOn(report, Object.keys(BUNDLED));
  if (advisories.length === 0) return console.log(`ok      ${name}`);
  console.log(advisories.join("\n"));
  return name;
}

export async function audit() {
  const failures = [
    check("known vulnerabilities of npm packages", "npm", ["audit", "--omit=dev", "--audit-level=low"]),
    checkBundled(),
  ];
  let env;
  try {
    env = await cargoDenyEnv();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    console.log(`skipped licences, sources and vulnerabilities of crates: ${error.message}`);
  }
  if (env) {
    failures.push(
      check("licences, sources and bans of crates", "cargo", ["deny", "check", "licenses", "bans", "sources"], env),
    );
    failures.push(check("known vulnerabilities of crates", "cargo", ["deny", "check", "advisories"], env));
  }
  const names = failures.filter(Boolean);
  if (names.length > 0) throw new UserError(`failed: ${names.join("; ")}`);
}

await runScript(import.meta, audit);
