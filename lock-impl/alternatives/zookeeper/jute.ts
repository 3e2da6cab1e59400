/**
 * ZooKeeper's serialization, as far as a lock needs it (zookeeper.jute in its sources): big-endian integers of 4 and 8
 * bytes, booleans of 1 byte, strings and buffers after their length in bytes, vectors after their number of elements. A
 * packet is a record after its length.
 */
export class JuteWriter {
  readonly #parts: Buffer[] = [];

  int32(value: number): this {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(value);
    return this.#add(bytes);
  }

  int64(value: bigint): this {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64BE(value);
    return this.#add(bytes);
  }

  boolean(value: boolean): this {
    return this.#add(Buffer.from([value ? 1 : 0]));
  }

  buffer(value: Uint8Array): this {
    return this.int32(value.length).#add(Buffer.from(value));
  }

  string(value: string): this {
    return this.buffer(Buffer.from(value));
  }

  /** Everything written so far, as one packet. */
  packet(): Buffer {
    const record = Buffer.concat(this.#parts);
    return Buffer.concat([new JuteWriter().int32(record.length).#parts[0] ?? Buffer.alloc(0), record]);
  }

  #add(bytes: Buffer): this {
    this.#parts.push(bytes);
    return this;
  }
}

/**
 * Reads one record.
 * @throws RangeError where the record is shorter than the field to read
 */
export class JuteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  int32(): number {
    this.#at += 4;
    return this.#bytes.readInt32BE(this.#at - 4);
  }

  int64(): bigint {
    this.#at += 8;
    return this.#bytes.readBigInt64BE(this.#at - 8);
  }

  buffer(): Buffer {
    // -1 stands for none.
    const length = Math.max(0, this.int32());
    if (this.#at + length > this.#bytes.length) throw new RangeError("a record ends before its last field");
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  string(): string {
    return this.buffer().toString();
  }

  strings(): readonly string[] {
    return Array.from({ length: Math.max(0, this.int32()) }, () => this.string());
  }
}

/** Splits a stream of bytes into the records of its packets. */
export class PacketSplitter {
  #rest: Buffer = Buffer.alloc(0);

  /** Takes in the bytes that arrived, and returns the records that are complete by now. */
  push(chunk: Buffer): readonly Buffer[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const records: Buffer[] = [];
    while (this.#rest.length >= 4) {
      const end = 4 + this.#rest.readInt32BE(0);
      if (this.#rest.length < end) break;
      records.push(this.#rest.subarray(4, end));
      this.#rest = this.#rest.subarray(end);
    }
    return records;
  }
}
