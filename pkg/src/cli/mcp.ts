/**
 * `kinestitch mcp FOLDER`: a Model Context Protocol server for the commands, so that agents can stitch, judge and
 * render motions. It reads and writes only below one folder. The protocol is implemented by the official SDK, an
 * optional peer dependency.
 */
import { FileError } from "./file-error.js";
import { HELP, oneFile, split } from "./flags.js";
import { Folder } from "./folder.js";
import { type Perform, registerTools } from "./mcp-tools.js";
import { print } from "./output.js";
import { version } from "./version.js";

/** Text of `kinestitch mcp --help`. */
export const mcpHelp = `kinestitch mcp FOLDER

A Model Context Protocol server on standard input and output. Its tools (info, stitch, inbetween, candidates, convert, loop,
mirror, slice, judge, render) read and write only files below FOLDER; paths are relative to it. Needs the protocol's SDK:

  npm install kinestitch @modelcontextprotocol/sdk zod
  npx kinestitch mcp ./clips`;

/**
 * Runs the command; ends when standard input ends. `args`: its arguments without "mcp". `perform`: runs the commands of
 * the tools.
 */
export async function mcp(args: string[], perform: Perform): Promise<void> {
  const { values, positionals } = split(args, HELP);
  if (values.help) return print(mcpHelp);
  const folder = new Folder(oneFile("mcp", positionals));
  const [{ McpServer }, { StdioServerTransport }, { z }] = await library();
  const server = new McpServer({ name: "kinestitch", version: version() }, { instructions: INSTRUCTIONS });
  registerTools({ server, folder, z, perform });
  const transport = new StdioServerTransport();
  const closed = new Promise<void>((resolve) => {
    server.server.onclose = resolve;
    process.stdin.on("end", () => void server.close());
  });
  await server.connect(transport);
  await closed;
}

const INSTRUCTIONS = `Kinestitch joins, makes and judges character animation (BVH, GLB, glTF, VRM and VRMA files). View results with "render":
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
