/** Tools of the MCP server: each one runs a command on files below the server's folder. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { McpServer as Server } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { methodsWith } from "../core/method.js";
import { cycleChoices } from "../core/loop-types.js";
import type { Folder } from "./folder.js";
import { flagOf } from "./flags.js";
import { begin, captured } from "./output.js";
import { sentence } from "./sentence.js";

/** The method that finds paths to choose from. */
const PATH_METHOD = methodsWith("path")[0] as string;

type Zod = typeof import("zod").z;

/** Runs one command line; throws on failure. */
export type Perform = (args: readonly string[]) => Promise<void>;

/** Server, folder and library of schemas that all tools need. */
interface Context {
  server: Server;
  folder: Folder;
  z: Zod;
  perform: Perform;
}

/** Registers all tools. */
export function registerTools(context: Context): void {
  reports(context);
  joins(context);
  edits(context);
}

/** One command at a time, because commands share standard output and memory. */
let last: Promise<unknown> = Promise.resolve();

function queued<T>(work: () => Promise<T>): Promise<T> {
  const next = last.then(work, work);
  last = next.catch(() => {});
  return next;
}

/** Runs a command and returns its printed text, or its error. */
function run(perform: Perform, words: () => string[]): Promise<CallToolResult> {
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

/** Schemas of a path to read and of a path to write. */
function paths(z: Zod) {
  const path = z.string().min(1).describe("path below the folder");
  return { path, output: path.describe("file to write, below the folder: .bvh, .glb or .vrma") };
}

/** Tools that look at a file and write none. */
function reports({ server, folder, z, perform }: Context): void {
  const { path } = paths(z);
  server.registerTool(
    "info",
    { description: "Joints, frames, rate, rig and warnings of a motion file", inputSchema: { file: path } },
    ({ file }) => run(perform, () => ["info", folder.input(file), "--json"]),
  );
  server.registerTool(
    "judge",
    {
      description: "Scores how natural each frame of a motion is; above 1 it is unlike recorded motion",
      inputSchema: { file: path },
    },
    ({ file }) => run(perform, () => ["judge", folder.input(file), "--json"]),
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
    ({ file, ...options }) => picture({ folder, perform }, file, options),
  );
}

/** Tools that make new motion between clips or poses. */
function joins({ server, folder, z, perform }: Context): void {
  const { path, output } = paths(z);
  const key = z.object({ file: path, frame: z.number().int().min(0) });
  server.registerTool(
    "stitch",
    {
      description: "Joins files in order into one natural motion, and chooses the method at each seam",
      inputSchema: { files: z.array(path).min(2).max(100), output },
    },
    ({ files, output }) =>
      run(perform, () => ["stitch", ...files.map((file) => folder.input(file)), "-o", folder.output(output), "--json"]),
  );
  server.registerTool(
    "inbetween",
    {
      description: "Makes the motion between poses, each a frame of a file",
      inputSchema: { keys: z.array(key).min(2).max(20), frames: z.number().int().min(1).max(480), output },
    },
    ({ keys, frames, output }) =>
      run(perform, () => [
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
      return run(perform, () => ["inbetween", ...keysOf(keys, folder), ...how, "-o", folder.output(output), "--json"]);
    },
  );
}

/** Tools that write one clip in another form. */
function edits({ server, folder, z, perform }: Context): void {
  const { path, output } = paths(z);
  const seconds = z.number().min(0).max(86_400);
  server.registerTool(
    "convert",
    {
      description: "Writes a motion as BVH or GLB, optionally at another frame rate",
      inputSchema: { file: path, output, fps: z.number().positive().max(1000).optional() },
    },
    ({ file, output, fps }) => {
      const rate = fps === undefined ? [] : ["--fps", String(fps)];
      return run(perform, () => ["convert", folder.input(file), "-o", folder.output(output), ...rate, "--json"]);
    },
  );
  server.registerTool(
    "loop",
    {
      description: "Cuts a motion where it returns to itself and closes the seam: after the last frame comes the first",
      inputSchema: {
        file: path,
        output,
        cycle: z
          .enum(cycleChoices)
          .optional()
          .describe("shortest: one cycle, such as two steps; longest: most of the clip"),
        minSeconds: seconds.optional(),
        maxSeconds: seconds.optional(),
        inPlace: z.boolean().optional().describe("without the way over the ground"),
      },
    },
    ({ file, output, inPlace, ...options }) =>
      run(perform, () => [
        ...oneClip("loop", folder, file, output),
        ...flagsOf(options),
        ...(inPlace ? ["--in-place"] : []),
      ]),
  );
  server.registerTool(
    "mirror",
    { description: "Exchanges left and right, on the same skeleton", inputSchema: { file: path, output } },
    ({ file, output }) => run(perform, () => oneClip("mirror", folder, file, output)),
  );
  server.registerTool(
    "slice",
    {
      description: "Writes the frames of a clip from one time to another, in seconds; the end is excluded",
      inputSchema: { file: path, output, from: seconds.optional(), to: seconds.optional() },
    },
    ({ file, output, ...options }) =>
      run(perform, () => [...oneClip("slice", folder, file, output), ...flagsOf(options)]),
  );
}

/** Words of a command that reads one file and writes one. */
const oneClip = (command: string, folder: Folder, file: string, output: string): string[] => [
  command,
  folder.input(file),
  "-o",
  folder.output(output),
  "--json",
];

/** Flags of the options that are given. */
const flagsOf = (options: object): string[] =>
  Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [`--${flagOf(name)}`, String(value)]));

const keysOf = (keys: readonly { file: string; frame: number }[], folder: Folder): string[] =>
  keys.map(({ file, frame }) => `${folder.input(file)}@${frame}`);

/** Returns a strip as a PNG; the file itself is temporary. */
async function picture(
  { folder, perform }: Pick<Context, "folder" | "perform">,
  file: string,
  options: Record<string, unknown>,
): Promise<CallToolResult> {
  const place = mkdtempSync(join(tmpdir(), "kinestitch-"));
  try {
    const path = join(place, "strip.png");
    const flags = flagsOf(options);
    const rendered = await run(perform, () => ["render", folder.input(file), "-o", path, ...flags, "--json"]);
    if (rendered.isError) return rendered;
    const data = readFileSync(path).toString("base64");
    return { content: [{ type: "image", data, mimeType: "image/png" }] };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
