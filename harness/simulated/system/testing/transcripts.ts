/** Owner values: hexadecimal digits or UUIDs, but not the digest of a script, which must be the same each time. */
const RANDOM =
  /(?<!EVALSHA\r\n\$40\r\n)\b(?:[0-9a-f]{40}|[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b/g;

/**
 * The bytes on the connections of a client's program, without what differs each time: owner values, which are numbered,
 * remaining times, the text of INFO, and the numbers of connections.
 */
export class Transcripts {
  readonly #texts = new Map<string, { sent: string; received: string }>();
  #bytes = 0;

  /** How much was said so far, over all connections. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @param connection `node-0#1`: the server, and the number of the connection to it */
  add(connection: string, direction: "sent" | "received", text: string): void {
    const texts = this.#texts.get(connection) ?? { sent: "", received: "" };
    texts[direction] += text;
    this.#bytes += text.length;
    this.#texts.set(connection, texts);
  }

  /** Per connection and direction the lines that went over it. */
  lines(): Readonly<Record<string, { readonly sent: readonly string[]; readonly received: readonly string[] }>> {
    const owners = new Map<string, string>();
    const entries = [...this.#texts].toSorted(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(
      entries.map(([connection, { sent, received }]) => [
        connection,
        { sent: linesOf(sent, owners), received: linesOf(received, owners) },
      ]),
    );
  }
}

function linesOf(text: string, owners: Map<string, string>): readonly string[] {
  return (
    withoutInfo(text)
      .replaceAll(RANDOM, (value) => {
        const name = owners.get(value) ?? `owner ${owners.size}`;
        owners.set(value, name);
        return name;
      })
      .replaceAll(/(\$2\r\nid\r\n):\d+/g, "$1:ID")
      // The rest of a lease: more than a second.
      .replaceAll(/:[1-9]\d{3,4}\r\n/g, ":TIME\r\n")
      .split("\r\n")
  );
}

/** The text of INFO, a bulk or a verbatim string, by its name only. */
function withoutInfo(text: string): string {
  const found = /[$=](\d+)\r\n(?:txt:)?# Server\r\n/.exec(text);
  if (found === null) return text;
  const end = found.index + text.slice(found.index).indexOf("\n") + 1 + Number(found[1]);
  return `${text.slice(0, found.index)}INFO${withoutInfo(text.slice(end))}`;
}
