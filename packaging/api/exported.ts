import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { isNode, nodesOf, parse, type SourceFile, type SyntaxNode } from "../../harness/testing/source-file.ts";

/** Something that an entry of the package exports. */
export interface Exported {
  readonly name: string;
  /** The file that declares it, relative to the root. */
  readonly path: string;
  /** Its docstring, with its tags, without the asterisks; undefined when it has none. */
  readonly doc: string | undefined;
  /** How it is used, in TypeScript: without bodies and without what is private. */
  readonly signature: string;
}

/**
 * Everything that an entry exports, followed to where it is declared, in the order of the entry.
 * @param path the entry, relative to the root
 * @throws when something is exported in a way that is not known here
 */
export function exportedBy(root: string, path: string): readonly Exported[] {
  const file: SourceFile = { path, text: readFileSync(join(root, path), "utf8") };
  return nodesOf(parse(file))
    .filter(({ type }) => type === "ExportNamedDeclaration" || type === "ExportAllDeclaration")
    .flatMap((node) => exports(root, file, node));
}

function exports(root: string, file: SourceFile, node: SyntaxNode): readonly Exported[] {
  const { source, declaration, specifiers } = node;
  if (isNode(declaration)) return [declared(file, node, declaration)];
  if (!isNode(source)) throw new Error(`${file.path} exports something that it does not declare`);
  const all = exportedBy(root, posix.join(posix.dirname(file.path), String(source["value"])));
  if (!Array.isArray(specifiers)) return all;
  return specifiers.filter(isNode).map(({ local }) => {
    const name = nameOf(local);
    const found = all.find((exported) => exported.name === name);
    if (found === undefined) throw new Error(`${file.path} exports ${name}, which is not declared there`);
    return found;
  });
}

function declared(file: SourceFile, statement: SyntaxNode, declaration: SyntaxNode): Exported {
  const [variable] = Array.isArray(declaration["declarations"]) ? declaration["declarations"] : [declaration];
  return {
    name: nameOf(isNode(variable) ? variable["id"] : undefined),
    path: file.path,
    doc: docBefore(file, statement),
    signature: signatureOf(file, declaration),
  };
}

function signatureOf(file: SourceFile, declaration: SyntaxNode): string {
  const { body, type } = declaration;
  if (type === "FunctionDeclaration" && isNode(body)) return withoutAsync(textBetween(file, declaration, body));
  if (type !== "ClassDeclaration" || !isNode(body) || !Array.isArray(body["body"])) return textOf(file, declaration);
  const members = body["body"].filter(isNode).filter(isPublic);
  const lines = members.map((member) => `${commentBefore(file, member)}  ${memberSignature(file, member)}`);
  return [`${textBetween(file, declaration, body)} {`, ...lines, "}"].join("\n");
}

/** Constructors are left out: instances come from functions, or are thrown. */
function isPublic({ key, accessibility, kind }: SyntaxNode): boolean {
  const hidden = isNode(key) && key.type === "PrivateIdentifier";
  return !hidden && accessibility !== "private" && kind !== "constructor";
}

function memberSignature(file: SourceFile, member: SyntaxNode): string {
  const { value } = member;
  const body = isNode(value) ? value["body"] : undefined;
  const text = isNode(body) ? textBetween(file, member, body) : textOf(file, member).replace(/;$/, "");
  return `${withoutAsync(text)};`;
}

function withoutAsync(text: string): string {
  return text.replace(/^(static )?async /, "$1");
}

function nameOf(identifier: unknown): string {
  return isNode(identifier) ? String(identifier["name"] ?? identifier["value"]) : "";
}

function textOf({ text }: SourceFile, { start, end }: SyntaxNode): string {
  return text.slice(start, Number(end));
}

function textBetween({ text }: SourceFile, from: SyntaxNode, to: SyntaxNode): string {
  return text.slice(from.start, to.start).trimEnd();
}

/** The comment right before a node, as it is indented, with its line break; empty if there is none. */
function commentBefore({ text }: SourceFile, { start }: SyntaxNode): string {
  return /(?:^|\n)( *\/\*\*(?:(?!\*\/)[^])*\*\/\n) *$/.exec(text.slice(0, start))?.[1] ?? "";
}

function docBefore(file: SourceFile, node: SyntaxNode): string | undefined {
  const comment = commentBefore(file, node);
  if (comment === "") return undefined;
  return comment
    .replaceAll(/^ *\/\*\*|\*\/\n$/g, "")
    .replaceAll(/^ *\* ?/gm, "")
    .trim();
}
