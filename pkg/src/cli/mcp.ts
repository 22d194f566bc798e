/**
 * `kinestitch mcp FOLDER`: a Model Context Protocol server for the commands, so that agents can stitch, judge and
 * render motions. It reads and writes only below one folder. The protocol is implemented by the official SDK, an
 * optional peer dependency.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { McpServer as Server } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { methodsWith } from "../core/method.js";
import { FileError } from "./file-error.js";
import { HELP, oneFile, split } from "./flags.js";
import { Folder } from "./folder.js";
import { perform, sentence, version } from "./main.js";
import { begin, captured, print } from "./output.js";

/** The method that finds paths to choose from. */
const PATH_METHOD = methodsWith("path")[0] as string;

export const mcpHelp = `kinestitch mcp FOLDER

A Model Context Protocol server on standard input and output. Its tools (info, stitch, inbetween, candidates, convert, judge,
render) read and write only files below FOLDER; paths are relative to it. Needs the protocol's SDK:

  npm install kinestitch @modelcontextprotocol/sdk zod
  npx kinestitch mcp ./clips`;

/** Runs the command. `args`: its words without "mcp". Ends when standard input ends. */
export async function mcp(args: string[]): Promise<void> {
  const { values, positionals } = split(args, HELP);
  if (values.help) return print(mcpHelp);
  const folder = new Folder(oneFile("mcp", positionals));
  const [{ McpServer }, { StdioServerTransport }, { z }] = await library();
  const server = new McpServer({ name: "kinestitch", version: version() }, { instructions: INSTRUCTIONS });
  tools(server, folder, z);
  const transport = new StdioServerTransport();
  const closed = new Promise<void>((resolve) => {
    server.server.onclose = resolve;
    process.stdin.on("end", () => void server.close());
  });
  await server.connect(transport);
  await closed;
}

const INSTRUCTIONS = `Kinestitch joins, makes and judges character animation (BVH, GLB, FBX files). View results with "render":
left limbs are orange, right ones blue. Naturalness above 1 marks frames unlike recorded motion.`;

async function library() {
  try {
    return await Promise.all([
      import("@modelcontextprotocol/sdk/server/mcp.js"),
      import("@modelcontextprotocol/sdk/server/stdio.js"),
      import("zod"),
    ]);
  } catch {
    throw new FileError("the protocol's SDK is not installed: npm install @modelcontextprotocol/sdk zod");
  }
}

type Zod = typeof import("zod").z;

/** One command at a time, because commands share standard output and memory. */
let last: Promise<unknown> = Promise.resolve();

function queued<T>(work: () => Promise<T>): Promise<T> {
  const next = last.then(work, work);
  last = next.catch(() => {});
  return next;
}

/** Runs a command and returns its printed text, or its error. */
function run(words: () => string[]): Promise<CallToolResult> {
  return queued(async () => {
    try {
      begin();
      const args = words();
      return { content: [{ type: "text" as const, text: await captured(() => perform(args)) }] };
    } catch (error) {
      return { isError: true, content: [{ type: "text" as const, text: sentence(error) }] };
    }
  });
}

function tools(server: Server, folder: Folder, z: Zod): void {
  const path = z.string().min(1).describe("path below the folder");
  const output = path.describe("file to write, below the folder: .bvh or .glb");
  const key = z.object({ file: path, frame: z.number().int().min(0) });

  server.registerTool(
    "info",
    { description: "Joints, frames, rate, rig and warnings of a motion file", inputSchema: { file: path } },
    ({ file }) => run(() => ["info", folder.input(file), "--json"]),
  );
  server.registerTool(
    "stitch",
    {
      description: "Joins files in order into one natural motion, and chooses the method at each seam",
      inputSchema: { files: z.array(path).min(2).max(100), output },
    },
    ({ files, output }) =>
      run(() => ["stitch", ...files.map((file) => folder.input(file)), "-o", folder.output(output), "--json"]),
  );
  server.registerTool(
    "inbetween",
    {
      description: "Makes the motion between poses, each a frame of a file",
      inputSchema: { keys: z.array(key).min(2).max(20), frames: z.number().int().min(1).max(480), output },
    },
    ({ keys, frames, output }) =>
      run(() => [
        "inbetween",
        ...keysOf(keys, folder),
        "--frames",
        String(frames),
        "-o",
        folder.output(output),
        "--json",
      ]),
  );
  server.registerTool(
    "candidates",
    {
      description: "Makes several motions between two poses, one file each, in an existing folder",
      inputSchema: {
        keys: z.array(key).length(2),
        count: z.number().int().min(1).max(16),
        output: path.describe("folder for the results, below the folder"),
      },
    },
    ({ keys, count, output }) => {
      const how = ["--method", PATH_METHOD, "--candidates", String(count)];
      return run(() => ["inbetween", ...keysOf(keys, folder), ...how, "-o", folder.output(output), "--json"]);
    },
  );
  server.registerTool(
    "convert",
    {
      description: "Writes a motion as BVH or GLB, optionally at another frame rate",
      inputSchema: { file: path, output, fps: z.number().positive().max(1000).optional() },
    },
    ({ file, output, fps }) => {
      const rate = fps === undefined ? [] : ["--fps", String(fps)];
      return run(() => ["convert", folder.input(file), "-o", folder.output(output), ...rate, "--json"]);
    },
  );
  server.registerTool(
    "judge",
    {
      description: "Scores how natural each frame of a motion is; above 1 it is unlike recorded motion",
      inputSchema: { file: path },
    },
    ({ file }) => run(() => ["judge", folder.input(file), "--json"]),
  );
  server.registerTool(
    "render",
    {
      description: "Draws a motion as a strip of figures, as a picture",
      inputSchema: {
        file: path,
        view: z.enum(["side", "front", "quarter", "top"]).optional(),
        layout: z.enum(["columns", "path"]).optional(),
        figures: z.number().int().min(1).max(40).optional(),
        from: z.number().int().min(0).optional(),
        to: z.number().int().min(1).optional(),
      },
    },
    ({ file, ...options }) => picture(folder, file, options),
  );
}

const keysOf = (keys: readonly { file: string; frame: number }[], folder: Folder): string[] =>
  keys.map(({ file, frame }) => `${folder.input(file)}@${frame}`);

/** Returns a strip as a PNG; the file itself is temporary. */
async function picture(folder: Folder, file: string, options: Record<string, unknown>): Promise<CallToolResult> {
  const place = mkdtempSync(join(tmpdir(), "kinestitch-"));
  try {
    const path = join(place, "strip.png");
    const flags = Object.entries(options).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}`, String(value)],
    );
    const rendered = await run(() => ["render", folder.input(file), "-o", path, ...flags, "--json"]);
    if (rendered.isError) return rendered;
    const data = readFileSync(path).toString("base64");
    return { content: [{ type: "image", data, mimeType: "image/png" }] };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
