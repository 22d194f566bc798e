/**
 * `kinestitch mcp FOLDER`: a Model Context Protocol server. Its tools run the commands, so that agents can stitch,
 * judge and render motions. It reads and writes only below one folder. The protocol is implemented by the official SDK.
 * It and zod are optional peer dependencies.
 */
import { FileError } from "./file-error.js";
import { HELP, requireOnePath, parseFlags } from "./flags.js";
import { ServerFolder } from "./server-folder.js";
import { type RunCommand, registerTools } from "./mcp-tools.js";
import { print } from "./output.js";
import { version } from "./version.js";

/** Text of `kinestitch mcp --help`. */
export const mcpHelp = `kinestitch mcp FOLDER

Runs a Model Context Protocol server on standard input and output. Its tools (info, stitch, inbetween, candidates,
convert, loop, mirror, slice, judge, render) read and write only files below FOLDER; paths are relative to FOLDER.
The SDK of the protocol must be installed:

  npm install kinestitch @modelcontextprotocol/sdk zod
  npx kinestitch mcp ./clips`;

/**
 * Runs the server until standard input ends. `args`: the arguments after "mcp". `runCommand`: runs the command of a
 * tool.
 */
export async function mcp(args: string[], runCommand: RunCommand): Promise<void> {
  const { values, positionals } = parseFlags(args, HELP);
  if (values.help) return print(mcpHelp);
  const folder = new ServerFolder(requireOnePath("mcp", positionals, "folder"));
  const [{ McpServer }, { StdioServerTransport }, { z }] = await importSdk();
  const server = new McpServer({ name: "kinestitch", version: version() }, { instructions: INSTRUCTIONS });
  registerTools({ server, folder, z, runCommand });
  const transport = new StdioServerTransport();
  const closed = new Promise<void>((resolve) => {
    server.server.onclose = resolve;
    process.stdin.on("end", () => void server.close());
  });
  await server.connect(transport);
  await closed;
}

/** Description of the server for agents. */
const INSTRUCTIONS = `Kinestitch joins, makes and judges character animation (BVH, GLB, glTF, VRM and VRMA files).
View results with "render": left limbs are orange, right limbs are blue. A naturalness score above 1 marks frames unlike
recorded motion.`;

/** Imports the optional peer dependencies. */
async function importSdk() {
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
