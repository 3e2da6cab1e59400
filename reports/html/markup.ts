import { escapeXml, escapeXmlLines } from "../xml.ts";

/** HTML that is safe to put into a page as it is. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * The values that a template takes. Text and numbers are escaped, lists are joined, `undefined` and `false` add
 * nothing.
 */
export type Content = string | number | Markup | undefined | false | readonly Content[];

/** A template for HTML that escapes everything except `Markup`. */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Markup {
  const parts = strings.map((string, index) => (index < values.length ? string + write(values[index]) : string));
  return new Markup(parts.join(""));
}

function write(value: Content): string {
  if (value === undefined || value === false) return "";
  if (value instanceof Markup) return value.text;
  if (typeof value === "string") return escapeXml(value);
  if (typeof value === "number") return String(value);
  return value.map(write).join("");
}

/** Several lines of text that this program laid out, for a `pre`. */
export function lines(text: string): Markup {
  return new Markup(escapeXmlLines(text));
}
