/** Tools of the MCP server. Each tool runs one command on files below the server's folder. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { McpServer as Server } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { methodsWith } from "../core/method.js";
import { cycleChoices } from "../core/loop-types.js";
import type { ServerFolder } from "./server-folder.js";
import { flagName } from "./flags.js";
import { forgetFiles, captureOutput } from "./output.js";
import { describeError } from "./describe-error.js";

/** The method of the tool "candidates": one that proposes several paths. */
const PATH_METHOD = methodsWith("path")[0] as string;

type Zod = typeof import("zod").z;

/** Runs one command line; throws on failure. */
export type RunCommand = (args: readonly string[]) => Promise<void>;

/** Dependencies of all tools: the server, its folder, the schema library, and the function that runs a command. */
interface Context {
  server: Server;
  folder: ServerFolder;
  z: Zod;
  runCommand: RunCommand;
}

/** Registers all tools. */
export function registerTools(context: Context): void {
  registerReports(context);
  registerGenerators(context);
  registerEdits(context);
}

/** The last queued command: commands run one at a time, because they share the output capture and memory. */
let lastCommand: Promise<unknown> = Promise.resolve();

function enqueue<T>(work: () => Promise<T>): Promise<T> {
  const result = lastCommand.then(work, work);
  lastCommand = result.catch(() => {});
  return result;
}

/** Runs a command and returns its printed text, or its error as a result. */
function runTool(runCommand: RunCommand, buildArgs: () => string[]): Promise<CallToolResult> {
  return enqueue(async () => {
    try {
      forgetFiles();
      const args = buildArgs();
      return { content: [{ type: "text" as const, text: await captureOutput(() => runCommand(args)) }] };
    } catch (error) {
      return { isError: true, content: [{ type: "text" as const, text: describeError(error) }] };
    }
  });
}

/** Schemas of a path to read and of a path to write. */
function pathSchemas(z: Zod) {
  const path = z.string().min(1).describe("path below the folder");
  return { path, output: path.describe("file to write, below the folder: .bvh, .glb or .vrma") };
}

/** Registers the tools that read a file and write none. */
function registerReports({ server, folder, z, runCommand }: Context): void {
  const { path } = pathSchemas(z);
  server.registerTool(
    "info",
    { description: "Joints, frames, rate, rig and warnings of a motion file", inputSchema: { file: path } },
    ({ file }) => runTool(runCommand, () => ["info", folder.input(file), "--json"]),
  );
  server.registerTool(
    "judge",
    {
      description: "Scores how unnatural each frame of a motion is; frames above 1 are unlike recorded motion",
      inputSchema: { file: path },
    },
    ({ file }) => runTool(runCommand, () => ["judge", folder.input(file), "--json"]),
  );
  server.registerTool(
    "render",
    {
      description: "Draws a motion as a strip of figures and returns it as a PNG picture",
      inputSchema: {
        file: path,
        view: z.enum(["side", "front", "quarter", "top"]).optional(),
        layout: z.enum(["columns", "path"]).optional(),
        figures: z.number().int().min(1).max(40).optional(),
        from: z.number().int().min(0).optional(),
        to: z.number().int().min(1).optional(),
      },
    },
    ({ file, ...options }) => renderPicture({ folder, runCommand }, file, options),
  );
}

/** Registers the tools that make new motion between clips or poses. */
function registerGenerators({ server, folder, z, runCommand }: Context): void {
  const { path, output } = pathSchemas(z);
  const key = z.object({ file: path, frame: z.number().int().min(0) });
  server.registerTool(
    "stitch",
    {
      description: "Joins files in order into one natural motion, and chooses the method at each seam",
      inputSchema: { files: z.array(path).min(2).max(100), output },
    },
    ({ files, output }) =>
      runTool(runCommand, () => [
        "stitch",
        ...files.map((file) => folder.input(file)),
        "-o",
        folder.output(output),
        "--json",
      ]),
  );
  server.registerTool(
    "inbetween",
    {
      description: "Makes the motion between poses, each a frame of a file",
      inputSchema: { keys: z.array(key).min(2).max(20), frames: z.number().int().min(1).max(480), output },
    },
    ({ keys, frames, output }) =>
      runTool(runCommand, () => [
        "inbetween",
        ...buildKeys(keys, folder),
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
      const flags = ["--method", PATH_METHOD, "--candidates", String(count)];
      return runTool(runCommand, () => [
        "inbetween",
        ...buildKeys(keys, folder),
        ...flags,
        "-o",
        folder.output(output),
        "--json",
      ]);
    },
  );
}

/** Registers the tools that read one clip and write one. */
function registerEdits({ server, folder, z, runCommand }: Context): void {
  const { path, output } = pathSchemas(z);
  const seconds = z.number().min(0).max(86_400);
  server.registerTool(
    "convert",
    {
      description: "Writes a motion as BVH or GLB, optionally at another frame rate",
      inputSchema: { file: path, output, fps: z.number().positive().max(1000).optional() },
    },
    ({ file, output, fps }) => {
      const fpsFlags = fps === undefined ? [] : ["--fps", String(fps)];
      return runTool(runCommand, () => [
        "convert",
        folder.input(file),
        "-o",
        folder.output(output),
        ...fpsFlags,
        "--json",
      ]);
    },
  );
  server.registerTool(
    "loop",
    {
      description: "Finds a cycle of a motion and closes it to a loop: the last frame is followed by the first",
      inputSchema: {
        file: path,
        output,
        cycle: z
          .enum(cycleChoices)
          .optional()
          .describe("shortest: one cycle, such as two steps; longest: the longest cycle in the clip"),
        minSeconds: seconds.optional(),
        maxSeconds: seconds.optional(),
        inPlace: z.boolean().optional().describe("remove the movement over the ground"),
      },
    },
    ({ file, output, inPlace, ...options }) =>
      runTool(runCommand, () => [
        ...clipToolArgs("loop", folder, file, output),
        ...buildFlags(options),
        ...(inPlace ? ["--in-place"] : []),
      ]),
  );
  server.registerTool(
    "mirror",
    { description: "Exchanges left and right, on the same skeleton", inputSchema: { file: path, output } },
    ({ file, output }) => runTool(runCommand, () => clipToolArgs("mirror", folder, file, output)),
  );
  server.registerTool(
    "slice",
    {
      description: "Writes the frames of a clip from one time to another, in seconds; the end is excluded",
      inputSchema: { file: path, output, from: seconds.optional(), to: seconds.optional() },
    },
    ({ file, output, ...options }) =>
      runTool(runCommand, () => [...clipToolArgs("slice", folder, file, output), ...buildFlags(options)]),
  );
}

/** Builds the arguments of a command that reads one file and writes one. */
const clipToolArgs = (command: string, folder: ServerFolder, file: string, output: string): string[] => [
  command,
  folder.input(file),
  "-o",
  folder.output(output),
  "--json",
];

/** Builds the flags of all options that are not `undefined`. */
const buildFlags = (options: object): string[] =>
  Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${flagName(name)}`, String(value)],
  );

/** Builds key arguments, FILE@FRAME. */
const buildKeys = (keys: readonly { file: string; frame: number }[], folder: ServerFolder): string[] =>
  keys.map(({ file, frame }) => `${folder.input(file)}@${frame}`);

/** Renders a strip to a temporary file and returns it as a PNG. */
async function renderPicture(
  { folder, runCommand }: Pick<Context, "folder" | "runCommand">,
  file: string,
  options: Record<string, unknown>,
): Promise<CallToolResult> {
  const directory = mkdtempSync(join(tmpdir(), "kinestitch-"));
  try {
    const path = join(directory, "strip.png");
    const flags = buildFlags(options);
    const rendered = await runTool(runCommand, () => ["render", folder.input(file), "-o", path, ...flags, "--json"]);
    if (rendered.isError) return rendered;
    const data = readFileSync(path).toString("base64");
    return { content: [{ type: "image", data, mimeType: "image/png" }] };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
