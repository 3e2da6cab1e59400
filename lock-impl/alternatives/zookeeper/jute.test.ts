import { expect, it } from "vitest";
import { JuteReader, JuteWriter, PacketSplitter } from "./jute.ts";

it("reads back every value that it wrote", () => {
  const packet = new JuteWriter()
    .int32(-112)
    .int64(-(2n ** 63n))
    .string("Schloß")
    .buffer(Uint8Array.of(0, 255))
    .boolean(true)
    .packet();
  expect(packet.readInt32BE(0)).toBe(packet.length - 4);
  const reader = new JuteReader(packet.subarray(4));
  expect([reader.int32(), reader.int64(), reader.string(), [...reader.buffer()]]).toEqual([
    -112,
    -(2n ** 63n),
    "Schloß",
    [0, 255],
  ]);
});

it("writes as ZooKeeper's own clients do", () => {
  const packet = new JuteWriter().int32(1).string("/a").boolean(false).packet();
  expect(packet.toString("hex")).toBe("0000000b00000001000000022f6100");
});

it("takes a length of -1 for nothing", () => {
  const none = (): JuteReader => new JuteReader(Buffer.from("ffffffff", "hex"));
  expect([none().string(), none().strings()]).toEqual(["", []]);
});

it("does not read beyond the end of a record", () => {
  const short = new JuteWriter().int32(5).packet().subarray(4);
  expect(() => new JuteReader(short).string()).toThrow(RangeError);
  expect(() => new JuteReader(short).int64()).toThrow(RangeError);
});

it("finds packets again, however they were cut", () => {
  const packets = ["a", "", "bcd"].map((text) => new JuteWriter().string(text).packet());
  const stream = Buffer.concat(packets);
  for (let size = 1; size <= stream.length; size += 1) {
    const splitter = new PacketSplitter();
    const texts: string[] = [];
    for (let at = 0; at < stream.length; at += size) {
      texts.push(...splitter.push(stream.subarray(at, at + size)).map((record) => new JuteReader(record).string()));
    }
    expect(texts).toEqual(["a", "", "bcd"]);
  }
});
