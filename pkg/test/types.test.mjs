// Types in an editor: error codes, completion of names, JSX.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import ts from "typescript";
import { packageFolder, root } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "kinestitch-types-"));
after(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, "node_modules", "react"), { recursive: true });
symlinkSync(packageFolder, join(folder, "node_modules", "kinestitch"), "junction");
symlinkSync(join(root, "player"), join(folder, "node_modules", "kinestitch-player"), "junction");
writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
// The part of React's types that elements need.
writeFileSync(
  join(folder, "node_modules", "react", "package.json"),
  '{ "name": "react", "types": "index.d.ts", "exports": { ".": { "types": "./index.d.ts" }, "./jsx-runtime": { "types": "./jsx-runtime.d.ts" } } }',
);
writeFileSync(
  join(folder, "node_modules", "react", "index.d.ts"),
  `export namespace JSX {
  interface Element {}
  interface Attributes {
    id?: string;
    tabIndex?: number;
    style?: { width?: number };
    "aria-label"?: string;
    onClick?: (event: { currentTarget: HTMLDivElement }) => void;
    ref?: (element: HTMLDivElement | null) => void;
  }
  interface IntrinsicElements { div: Attributes }
}
`,
);
writeFileSync(
  join(folder, "node_modules", "react", "jsx-runtime.d.ts"),
  `import type { JSX as React } from "./index.js";
export namespace JSX {
  interface Element extends React.Element {}
  interface IntrinsicElements extends React.IntrinsicElements {}
}
export const jsx: unknown;
`,
);

const options = {
  strict: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  lib: ["lib.es2023.d.ts", "lib.dom.d.ts"],
  jsx: ts.JsxEmit.Preserve,
  types: [],
  // The package is resolved beside React, as after an installation.
  preserveSymlinks: true,
};
let version = 0;
const registry = ts.createDocumentRegistry();

/** Opens one file in a language service; `|` in the text is the cursor. */
function openFile(text, name = "app.ts", extraOptions = {}) {
  const path = join(folder, name);
  const cursor = text.indexOf("|");
  const content = text.replace("|", "");
  writeFileSync(path, content);
  const host = {
    getCompilationSettings: () => ({ ...options, ...extraOptions }),
    getScriptFileNames: () => [path],
    getScriptVersion: (file) => (file === path ? String(++version) : "1"),
    getScriptSnapshot: (file) =>
      ts.sys.fileExists(file) ? ts.ScriptSnapshot.fromString(ts.sys.readFile(file)) : undefined,
    getCurrentDirectory: () => folder,
    getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
    realpath: ts.sys.realpath,
  };
  const service = ts.createLanguageService(host, registry);
  return {
    problems: () =>
      [...service.getSyntacticDiagnostics(path), ...service.getSemanticDiagnostics(path)].map(({ messageText }) =>
        ts.flattenDiagnosticMessageText(messageText, "\n"),
      ),
    completions: () => service.getCompletionsAtPosition(path, cursor, {})?.entries.map(({ name }) => name) ?? [],
  };
}

describe("types", () => {
  it("of an error follow from its code", () => {
    const problemsOf = (body) =>
      openFile(`import { KinestitchError } from "kinestitch";
      export function use(error: unknown) { if (!(error instanceof KinestitchError)) return; ${body} }`).problems();
    assert.deepEqual(
      problemsOf('if (error.code === "bvh") { const line: number = error.line; return line + error.column; }'),
      [],
    );
    assert.deepEqual(
      problemsOf(
        `switch (error.code) {
          case "option": return error.option?.length;
          case "aborted": { const name: "AbortError" = error.name; return name; }
          default: { const none: undefined = error.option; return none; }
        }`,
      ),
      [],
    );
    assert.match(
      problemsOf("const line: number = error.line; return line;").join(),
      /'undefined' is not assignable to type 'number'/,
    );
    assert.match(problemsOf('if (error.code === "unknown") return;').join(), /no overlap/);
    assert.deepEqual(problemsOf('throw new KinestitchError("option", "no", { option: "fps" });'), []);
  });

  it("of names can be completed, and accept other names", () => {
    const complete = (text) =>
      openFile(
        `import { createController, inbetween, loadNetworks, type Controller } from "kinestitch";\ndeclare const c: Controller;\n${text}`,
      ).completions();
    assert.deepEqual(complete('loadNetworks({ set: "|" })').sort(), ["open", "research"]);
    assert.deepEqual(complete('loadNetworks({ for: "inbetween", name: "|" })').sort(), [
      "dcmoe",
      "delta",
      "manifold",
      "rmr",
    ]);
    assert.ok(complete('inbetween([], { method: { name: "dcmoe", style: "|" } })').includes("walk"));
    assert.deepEqual(complete('createController({ set: "|" })').sort(), ["open", "research"]);
    assert.ok(complete('c.step({ direction: [0, 1], speed: 1, style: "|" }, 1)').includes("elderly"));
    assert.ok(complete('c.step({ direction: [0, 1], speed: 1, action: "|" }, 1)').includes("sit"));
    assert.deepEqual(
      openFile('import { loadNetworks } from "kinestitch";\nloadNetworks({ set: "mine" });').problems(),
      [],
    );
  });

  it("of the element are known in JSX, of React and of other libraries", () => {
    const valid =
      '<kinestitch-player src="walk.bvh" character="hero.glb" autoplay loop view="side" clip={null} id="a" />';
    const invalid = '<kinestitch-player view="above" />';
    const reactOnly =
      '<kinestitch-player tabIndex={0} style={{ width: 3 }} aria-label="a" onClick={(event) => event.currentTarget} ref={(player) => player?.pause()} />';
    for (const [entry, jsx, start] of [
      ["kinestitch-player/react", { jsx: ts.JsxEmit.ReactJSX }, ""],
      ["kinestitch-player", {}, "declare global { namespace JSX { interface Element {} } }\n"],
    ]) {
      const problems = (element) =>
        openFile(`import "${entry}";\n${start}export const it = ${element};`, "app.tsx", jsx).problems();
      assert.deepEqual(problems(valid), [], entry);
      assert.match(problems(invalid).join(), /"above"' is not assignable/, entry);
      if (entry.endsWith("/react")) {
        assert.deepEqual(problems(reactOnly), []);
        assert.match(problems('<kinestitch-player style="red" />').join(), /Type 'string'/);
      }
    }
  });
});
