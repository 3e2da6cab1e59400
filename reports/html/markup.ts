/** HTML that is safe to put into a page as it is. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What a template takes. Text and numbers are escaped, lists are joined, `undefined` and `false` leave nothing. */
export type Content = string | number | Markup | undefined | false | readonly Content[];

/** A template for HTML in which everything is escaped that is not `Markup` itself. */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Markup {
  const parts = strings.map((string, index) => (index < values.length ? string + write(values[index]) : string));
  return new Markup(parts.join(""));
}

function write(value: Content): string {
  if (value === undefined || value === false) return "";
  if (value instanceof Markup) return value.text;
  if (typeof value === "string") return escapeHtml(value);
  if (typeof value === "number") return String(value);
  return value.map(write).join("");
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;")
    .replaceAll("\0", "\u{fffd}");
}
