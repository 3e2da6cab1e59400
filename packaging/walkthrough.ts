/** Follows a page of the documentation: runs its commands, writes its files, makes its changes. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expectCode } from "./steps.ts";

interface Block {
  readonly language: string;
  /** The text after the language: `exit=1`. */
  readonly info: string;
  readonly text: string;
}

/**
 * Follows the fenced blocks of a page, in order. `sh` is run line by line and must end with 0, or with the `exit=` of
 * its fence; the first line of a `text` must be in what the commands before it printed; a `ts` whose first line is a
 * comment with a file's name is written to that file, any other must be there already; a `diff` replaces lines in the
 * file it names.
 * @param replace what to run in place of what is written
 * @returns all that was run and printed
 * @throws when something is not as the page says
 */
export async function follow(
  page: string,
  folder: string,
  { env, replace }: { readonly env: NodeJS.ProcessEnv; readonly replace: (command: string) => string },
): Promise<string> {
  const transcript: string[] = [];
  let printed = "";
  for (const { language, info, text } of blocksOf(page)) {
    if (language === "sh") {
      printed = "";
      for (const line of text.split("\n")) {
        const code = Number(/exit=(\d+)/.exec(info)?.[1] ?? 0);
        const { stdout, stderr } = await expectCode(code, "sh", ["-c", replace(line)], { cwd: folder, env });
        printed += stdout + stderr;
        transcript.push(`$ ${line}`, stdout.trimEnd(), stderr.trimEnd());
      }
    } else if (language === "text") mustHave(printed, text.split("\n")[0] ?? "", "what was printed");
    else if (language === "ts") file(folder, text);
    else if (language === "diff") change(folder, text);
  }
  return transcript.filter((part) => part !== "").join("\n");
}

function blocksOf(page: string): readonly Block[] {
  return [...page.matchAll(/^```(\w+)([^\n]*)\n([\s\S]*?)\n```$/gm)].map(([, language = "", info = "", text = ""]) => ({
    language,
    info,
    text,
  }));
}

function file(folder: string, text: string): void {
  const name = /^\/\/ (\S+)\n/.exec(text)?.[1];
  if (name === undefined) mustHave(readFileSync(join(folder, "my-lock.test.mts"), "utf8"), text, "my-lock.test.mts");
  else writeFileSync(join(folder, name), `${text}\n`);
}

/** Replaces the lines with a minus, together, by the lines with a plus that follow them. */
function change(folder: string, text: string): void {
  const [head = "", ...lines] = text.split("\n");
  const path = join(folder, head.replace(/^--- /, ""));
  let content = readFileSync(path, "utf8");
  const hunks = lines.join("\n").match(/(?:^-.*\n)+(?:^\+.*(?:\n|$))+/gm) ?? [];
  if (hunks.length === 0) throw new Error(`nothing is changed in ${path}`);
  for (const hunk of hunks) {
    const side = (sign: string): string =>
      hunk
        .split("\n")
        .filter((line) => line.startsWith(sign))
        .map((line) => line.slice(1))
        .join("\n");
    mustHave(content, side("-"), path);
    content = content.replace(side("-"), () => side("+"));
  }
  writeFileSync(path, content);
}

function mustHave(text: string, part: string, where: string): void {
  if (!text.includes(part)) throw new Error(`${where} lacks "${part}":\n${text}`);
}
