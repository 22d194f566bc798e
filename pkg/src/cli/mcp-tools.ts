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
import { candidatePath } from "./output-args.js";
import { describeError } from "./describe-error.js";

/** The method of the tool "candidates": it follows a path, and so makes a different motion for each path. */
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
  registerClean(context);
}

/** The last queued command. Commands run one at a time, because they share the captured output and memory. */
let lastCommand: Promise<unknown> = Promise.resolve();

function enqueue<T>(work: () => Promise<T>): Promise<T> {
  const result = lastCommand.then(work, work);
  lastCommand = result.catch(() => {});
  return result;
}

/** Runs a command and returns its output, or an error result with the error's message. */
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

/** Creates the schemas of a path to read and of a path to write. */
function createPathSchemas(z: Zod) {
  const path = z.string().min(1).describe("file to read: a path relative to the server's folder");
  return {
    path,
    output: path.describe("file to write, .bvh, .glb, .vrma or .fbx: a path relative to the server's folder"),
  };
}

/** Registers the tools that read a motion and write no motion. */
function registerReports({ server, folder, z, runCommand }: Context): void {
  const { path } = createPathSchemas(z);
  server.registerTool(
    "info",
    { description: "Joints, frames, rate, rig and warnings of a motion file", inputSchema: { file: path } },
    ({ file }) => runTool(runCommand, () => ["info", folder.input(file), "--json"]),
  );
  server.registerTool(
    "judge",
    {
      description:
        "Scores how unnatural each frame of a motion is; frames with a score above 1 are unlike recorded motion",
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
        from: z.number().int().min(0).optional().describe("first frame, counted from 0"),
        to: z.number().int().min(1).optional().describe("end of the frames, excluded"),
      },
    },
    ({ file, ...options }) => renderPicture({ folder, runCommand }, file, options),
  );
}

/** Registers the tools that make new motion between clips or poses. */
function registerGenerators({ server, folder, z, runCommand }: Context): void {
  const { path, output } = createPathSchemas(z);
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
      description: "Makes the motion between poses; each pose is a frame of a file",
      inputSchema: { keys: z.array(key).min(2).max(20), frames: z.number().int().min(1).max(480), output },
    },
    ({ keys, frames, output }) =>
      runTool(runCommand, () => [
        "inbetween",
        ...buildKeyArgs(keys, folder),
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
      description: "Makes several motions between two poses, and writes each to its own file in a folder",
      inputSchema: {
        keys: z.array(key).length(2),
        count: z.number().int().min(1).max(16),
        output: path.describe("folder to write to, made if it does not exist: a path relative to the server's folder"),
      },
    },
    ({ keys, count, output }) => {
      const flags = ["--method", PATH_METHOD, "--candidates", String(count)];
      return runTool(runCommand, () => [
        "inbetween",
        ...buildKeyArgs(keys, folder),
        ...flags,
        "-o",
        candidatesFolder(folder, output, count),
        "--json",
      ]);
    },
  );
}

/** Registers the tools that read one clip and write one. */
function registerEdits({ server, folder, z, runCommand }: Context): void {
  const { path, output } = createPathSchemas(z);
  const seconds = z.number().min(0).max(86_400);
  server.registerTool(
    "convert",
    {
      description: "Writes a motion as BVH, GLB or VRMA, optionally at another frame rate",
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
      description: "Finds a cycle of a motion and closes it into a loop: the last frame is followed by the first",
      inputSchema: {
        file: path,
        output,
        cycle: z
          .enum(cycleChoices)
          .optional()
          .describe("shortest: one cycle, such as two steps; longest: the longest cycle in the clip"),
        minSeconds: seconds.optional(),
        maxSeconds: seconds.optional(),
        maxTurn: z.number().min(0).max(360).optional().describe("largest turn of one cycle, degrees"),
        inPlace: z.boolean().optional().describe("remove the movement over the ground"),
      },
    },
    ({ file, output, inPlace, ...options }) =>
      runTool(runCommand, () => [
        ...buildClipArgs("loop", folder, file, output),
        ...buildFlags(options),
        ...(inPlace ? ["--in-place"] : []),
      ]),
  );
  server.registerTool(
    "mirror",
    { description: "Mirrors a motion: exchanges left and right", inputSchema: { file: path, output } },
    ({ file, output }) => runTool(runCommand, () => buildClipArgs("mirror", folder, file, output)),
  );
  server.registerTool(
    "slice",
    {
      description: "Writes the frames of a clip from one time to another, in seconds; the end is excluded",
      inputSchema: { file: path, output, from: seconds.optional(), to: seconds.optional() },
    },
    ({ file, output, ...options }) =>
      runTool(runCommand, () => [...buildClipArgs("slice", folder, file, output), ...buildFlags(options)]),
  );
}

/** Registers the tool that mends the faults of one clip. */
function registerClean({ server, folder, z, runCommand }: Context): void {
  const { path, output } = createPathSchemas(z);
  server.registerTool(
    "clean",
    {
      description:
        "Finds and mends faults of captured, retargeted or generated motion: spikes, dropouts, jitter, a wrong floor, a " +
        "way that does not fit the steps, sliding feet; lists the changes",
      inputSchema: {
        file: path,
        output,
        jitter: z.number().min(0).max(3).optional().describe("strength of the smoothing; 0: none"),
        floor: z.number().min(0).max(1).optional().describe("strength; 0: the floor is kept"),
        way: z.number().min(0).max(1).optional().describe("strength; 0: the way over the ground is kept"),
        feet: z.number().min(0).max(1).optional().describe("strength with which feet are held; 0: none"),
        from: z.number().int().min(0).optional().describe("first frame to change"),
        to: z.number().int().min(1).optional().describe("frame after the last one to change"),
      },
    },
    ({ file, output, ...options }) =>
      runTool(runCommand, () => [...buildClipArgs("clean", folder, file, output), ...buildFlags(options)]),
  );
}

/** Builds the arguments of a command that reads one file and writes one. */
const buildClipArgs = (command: string, folder: ServerFolder, file: string, output: string): string[] => [
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

/** Builds the arguments FILE@FRAME of keys. */
const buildKeyArgs = (keys: readonly { file: string; frame: number }[], folder: ServerFolder): string[] =>
  keys.map(({ file, frame }) => `${folder.input(file)}@${frame}`);

/** Returns the folder of candidates. Throws if a candidate's file is a link that points outside the server's folder. */
function candidatesFolder(folder: ServerFolder, output: string, count: number): string {
  for (let index = 0; index < count; index++) folder.output(candidatePath({ path: output, format: "bvh" }, index));
  return folder.output(output);
}

/** Runs `render` with a temporary file and returns the picture of this file, a PNG. */
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
