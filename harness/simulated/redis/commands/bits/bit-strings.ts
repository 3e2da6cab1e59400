import { changed, fail, integerArgument, writeAs } from "../../arguments.ts";
import type { Caller } from "../../command.ts";
import type { StringValue } from "../../keyspace/values.ts";

const BAD_OFFSET = "ERR bit offset is not an integer or out of range";

/** The offset of a bit. For a bitfield, `#3` is the third field of this `width`. */
export function bitOffset(text: string, { server, session }: Caller, width?: number): number {
  const isCounted = width !== undefined && text.startsWith("#");
  const given = Number(integerArgument(isCounted ? text.slice(1) : text, BAD_OFFSET));
  const offset = isCounted ? given * width : given;
  const isTooFar = session.role !== "master" && offset / 8 >= server.config.number("proto-max-bulk-len");
  return offset < 0 || isTooFar ? fail(BAD_OFFSET) : offset;
}

export function bitAt(text: string, offset: number): 0 | 1 {
  const byte = text.charCodeAt(Math.floor(offset / 8)) || 0;
  return ((byte >> (7 - (offset % 8))) & 1) === 1 ? 1 : 0;
}

/** The unsigned number that `width` bits from `offset` on are; bits beyond the text are 0. */
export function bitsAt(text: string, offset: number, width: number): bigint {
  let bits = 0n;
  for (let index = offset; index < offset + width; index += 1) bits = (bits << 1n) | BigInt(bitAt(text, index));
  return bits;
}

/** Writes `width` bits from `offset` on, into a text that is long enough. */
export function withBits(text: string, offset: number, width: number, bits: bigint): string {
  const first = Math.floor(offset / 8);
  const end = Math.floor((offset + width - 1) / 8) + 1;
  const bytes = Buffer.from(text.slice(first, end), "latin1");
  for (let index = 0; index < width; index += 1) {
    const place = offset + index - first * 8;
    const mask = 1 << (7 - (place % 8));
    const byte = bytes[place >> 3] ?? 0;
    bytes[place >> 3] = ((bits >> BigInt(width - 1 - index)) & 1n) === 1n ? byte | mask : byte & ~mask;
  }
  return text.slice(0, first) + bytes.toString("latin1") + text.slice(end);
}

/** A string that a command writes bits to. */
interface BitString {
  readonly value: StringValue;
  /** Whether the key is new, or its string longer than before. */
  readonly grown: boolean;
}

/** The string of a key, long enough for the bit at `offset`: the key gets it now, whether or not a bit changes. */
export function stringForBit(caller: Caller, key: string, offset: number): BitString {
  const length = Math.floor(offset / 8) + 1;
  const found = writeAs(caller, key, "string");
  const value: StringValue = found ?? { type: "string", text: "", form: "edited" };
  const grown = value.text.length < length;
  value.text = value.text.padEnd(length, "\0");
  value.form = "edited";
  if (found === undefined) caller.db.add(key, value);
  return { value, grown };
}

/** What a command that wrote bits tells its watchers, its replicas and its subscribers. */
export function bitsChanged(caller: Caller, key: string, changes = 1): void {
  changed(caller, key, changes);
  caller.db.notify("$", "setbit", key);
}
