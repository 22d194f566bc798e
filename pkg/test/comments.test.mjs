// Every exported function, type and member of the package has a doc comment, and every function an example; checked
// with the TypeScript compiler.
import assert from "node:assert/strict";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import ts from "typescript";
import { packageFolder } from "./support.mjs";

const ENTRIES = [
  "browser",
  "worker",
  "small",
  "slim",
  "three",
  "core/phases-svg",
  "networks",
  "../../player/src/index",
  "vrm",
  "ui",
  "react",
];

/** Returns the doc comments of the declaration itself, without those of base types. */
const commentsOf = (declaration) => ts.getJSDocCommentsAndTags(declaration).filter(ts.isJSDoc);
const isInternal = (declaration) => ts.getJSDocTags(declaration).some(({ tagName }) => tagName.text === "internal");
const hasText = (declaration) =>
  commentsOf(declaration).some(({ comment }) => ts.getTextOfJSDocComment(comment)?.trim());
const hasExample = (declaration) =>
  ts.getJSDocTags(declaration).some(({ tagName, comment }) => {
    return tagName.text === "example" && ts.getTextOfJSDocComment(comment)?.trim();
  });

describe("doc comments", { timeout: 300_000 }, () => {
  const undocumented = [];
  const functions = [];
  before(() => {
    const config = ts.readConfigFile(join(packageFolder, "tsconfig.json"), ts.sys.readFile).config;
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, packageFolder);
    const files = ENTRIES.map((entry) => join(packageFolder, "src", `${entry}.ts`));
    const program = ts.createProgram(files, options);
    const checker = program.getTypeChecker();
    const seen = new Set();
    const isOwn = (declaration) => !/node_modules/.test(declaration.getSourceFile().fileName);
    const members = (declaration) =>
      ts.isInterfaceDeclaration(declaration) || ts.isClassDeclaration(declaration) ? [...declaration.members] : [];
    const isCallable = (symbol, declaration) =>
      checker.getTypeOfSymbolAtLocation(symbol, declaration).getCallSignatures().length > 0;
    for (const [index, file] of files.entries()) {
      const module = checker.getSymbolAtLocation(program.getSourceFile(file));
      for (const exported of checker.getExportsOfModule(module)) {
        const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
        if (seen.has(symbol)) continue;
        seen.add(symbol);
        const declarations = (symbol.declarations ?? []).filter(isOwn);
        const name = `${ENTRIES[index]}: ${symbol.name}`;
        if (declarations.some(isInternal)) continue;
        if (!declarations.some(hasText)) undocumented.push(name);
        const [first] = declarations;
        if (symbol.flags & ts.SymbolFlags.Value && isCallable(symbol, first))
          functions.push({ name, hasExample: declarations.some(hasExample) });
        for (const member of declarations.flatMap(members)) {
          const isSignature = ts.isConstructSignatureDeclaration(member) || ts.isCallSignatureDeclaration(member);
          const isPrivate =
            ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private ||
            member.name?.kind === ts.SyntaxKind.PrivateIdentifier;
          if (isSignature || isPrivate || isInternal(member)) continue;
          if (!hasText(member)) undocumented.push(`${name}.${member.name?.getText()}`);
        }
      }
    }
  });

  it("every export and every member has one", () => assert.deepEqual(undocumented, []));

  it("every function has an example", () => {
    assert.ok(functions.length > 20, `${functions.length} functions`);
    assert.deepEqual(
      functions.filter(({ hasExample }) => !hasExample).map(({ name }) => name),
      [],
    );
  });
});
