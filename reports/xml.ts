import { printable, withoutUnseen } from "../harness/core/printable.ts";

/**
 * Foreign text, made safe for the content of an XML element or a quoted attribute: one line, shortened where it is
 * long.
 */
export function escapeXml(text: string): string {
  return withEntities(printable(text));
}

/** The same for several lines of text that this program laid out. */
export function escapeXmlLines(text: string): string {
  return text
    .split("\n")
    .map((line) => withEntities(withoutUnseen(line)))
    .join("\n");
}

/** Double colons too: GitHub may take a line of a log that begins with them for a command. */
function withEntities(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;")
    .replaceAll("::", "&#58;:");
}

/** An XML element. Attributes that are undefined are left out; `children` are markup already. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>>,
  children: readonly string[] = [],
): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${withEntities(withoutUnseen(String(value)))}"`)
    .join("");
  return children.length === 0 ? `<${name}${written}/>` : `<${name}${written}>${children.join("")}</${name}>`;
}
