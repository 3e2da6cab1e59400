import { UserError } from "../core/errors.ts";
import { printableJson } from "../core/printable.ts";
import { EXIT, type Verdict } from "../core/verdict.ts";
import type { RunRecord } from "../../reports/run/run-record.ts";
import { renderText } from "../../reports/run/text.ts";
import { type TextOptions, TextStyle } from "../../reports/text-style.ts";
import { linkTo, outputTerminal, print } from "./terminal.ts";

/** The layout of text for standard output. */
export function textOptions(): TextOptions {
  const { isStyled, columns = 100 } = outputTerminal();
  return {
    color: isStyled,
    width: columns,
    unicode: process.env["LOCKSTORM_ASCII"] === undefined && process.env["TERM"] !== "linux",
  };
}

/** A paragraph as wide as standard output, at most 100 columns; no line breaks at a no-break space. */
export function paragraph(text: string): string {
  return new TextStyle(textOptions()).paragraph(text).join("\n").replaceAll("\u{a0}", " ");
}

/** A text beside a label, with further lines under the first; the label ends with the spaces that separate it. */
export function beside(label: string, text: string): string {
  return `${new TextStyle(textOptions()).hanging({ text: label }, text, label.length).join("\n")}\n`;
}

/**
 * Prints a judged run as text or as JSON, and the path of its folder, if it has one.
 * @param more what the JSON says besides the verdict
 * @throws UserError when it cannot be written: the line still has the verdict
 */
export function printRun(
  { record, folder }: { readonly record: RunRecord; readonly folder?: string },
  json: boolean,
  more: object = {},
): void {
  const { verdict } = record;
  const place = json || folder === undefined ? "" : `\nReport\n  ${linkTo(`${folder}/report.html`)}\n`;
  try {
    print(json ? printableJson({ ...verdict, ...more }) : renderText(record, textOptions()) + place);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const told = `${error.message}, and the verdict is ${verdict.verdict} (exit code ${exitCode(verdict)})`;
    throw new UserError(told, error.hint, { cause: error });
  }
}

/** The exit code of a verdict. */
export function exitCode({ verdict }: Pick<Verdict, "verdict">): number {
  return EXIT[verdict];
}
