import { ReplyReader } from "../../containers/wire/reply-reader.ts";
import type { Address } from "../../core/lock-driver.ts";

/** Changes the bytes that a server sends on one connection, reply by reply. */
export interface ReplyFilter {
  /** The bytes to pass on now, for these that came. */
  pass(bytes: Buffer): Buffer;
}

/** Where a client reaches the server that Sentinels call `10.213.0.10:6379`. */
export type Places = ReadonlyMap<string, Address>;

/**
 * Replaces, in what a Sentinel says, the addresses of servers by those at which this client reaches them: a client
 * needs no map of addresses. Both versions of the protocol, replies and messages of channels.
 */
export class SentinelReplies implements ReplyFilter {
  readonly #places: Places;
  readonly #reader = new ReplyReader();

  constructor(places: Places) {
    this.#places = places;
  }

  pass(bytes: Buffer): Buffer {
    return Buffer.concat(this.#reader.push(bytes).map((frame) => this.#translated(frame.bytes)));
  }

  #translated(frame: Buffer): Buffer {
    const words = wordsOf(frame.toString("latin1"));
    const bulks = words.filter((word): word is Bulk => word.text !== undefined);
    for (const [index, word] of bulks.entries()) {
      // The port follows, in a list of fields after its name.
      const next = bulks[bulks[index + 1]?.text === "port" ? index + 2 : index + 1];
      const place = this.#places.get(`${word.text}:${next?.text}`);
      if (next === undefined || place === undefined) word.text = this.#withPlaces(word.text);
      else [word.text, next.text] = [place.host, String(place.port)];
    }
    return Buffer.from(words.map(({ raw, text }) => (text === undefined ? raw : bulk(text))).join(""), "latin1");
  }

  /** A word with addresses in it: `10.213.0.11:6379`, or as in `+switch-master`, `10.213.0.11 6379`. */
  #withPlaces(text: string): string {
    return text.replaceAll(/(\d+\.\d+\.\d+\.\d+)([ :])(\d+)/g, (found, host: string, sign: string, port: string) => {
      const place = this.#places.get(`${host}:${port}`);
      return place === undefined ? found : `${place.host}${sign}${place.port}`;
    });
  }
}

interface Word {
  readonly raw: string;
  /** The content of a bulk string; undefined for all else. */
  text?: string;
}

type Bulk = Word & { text: string };

/** The bulk strings of whole values, and what is between them. */
function wordsOf(frame: string): readonly Word[] {
  const words: Word[] = [];
  let at = 0;
  while (at < frame.length) {
    const lineEnd = frame.indexOf("\n", at) + 1;
    const end = lineEnd === 0 ? frame.length : lineEnd;
    const length = frame[at] === "$" ? Number(frame.slice(at + 1, end).trim()) : -1;
    if (length >= 0) {
      words.push({ raw: frame.slice(at, end + length + 2), text: frame.slice(end, end + length) });
      at = end + length + 2;
    } else {
      words.push({ raw: frame.slice(at, end) });
      at = end;
    }
  }
  return words;
}

function bulk(text: string): string {
  return `$${text.length}\r\n${text}\r\n`;
}
