import { expect, test } from "vitest";
import { compile, createRuntime, runScript, type Value } from "../script.ts";

function run(source: string): readonly Value[] {
  const runtime = createRuntime("user_script", () => ({}));
  return runScript(compile(source, "user_script")(runtime), runtime, { globals: {}, steps: 100_000 });
}

test("MessagePack: the examples of its specification, and back", () => {
  expect(run(`return cmsgpack.pack({compact = true})`)).toEqual(["\x81\xa7compact\xc3"]);
  expect(run(`return cmsgpack.pack({1, 2, 3}, "a", 300, -300, 0.1)`)).toEqual([
    "\x93\x01\x02\x03\xa1a\xcd\x01\x2c\xd1\xfe\xd4\xcb\x3f\xb9\x99\x99\x99\x99\x99\x9a",
  ]);
  expect(run(`return cmsgpack.unpack(cmsgpack.pack("a", 300, -300, 0.1, true, nil))`)).toEqual([
    "a",
    300,
    -300,
    0.1,
    true,
    undefined,
  ]);
  expect(run(`return cmsgpack.unpack_limit(cmsgpack.pack(1, 2, 3), 2)`)).toEqual([2, 1, 2]);
  expect(() => run(`return cmsgpack.unpack("\\204")`)).toThrow("Missing bytes in input.");
});

test("struct: byte orders, alignment, texts", () => {
  expect(run(`return struct.pack(">hi4", 1, 2), struct.pack("<h", 1)`)).toEqual(["\0\x01\0\0\0\x02", "\x01\0"]);
  expect(run(`return struct.size("!8bd"), struct.pack("!4bi", 1, 2)`)).toEqual([16, "\x01\0\0\0\x02\0\0\0"]);
  expect(run(`return struct.unpack(">Hs", "\\1\\2abc\\0")`)).toEqual([258, "abc", 7]);
});

test("cjson keeps its settings for one interpreter, and a new instance has its own", () => {
  expect(run(`cjson.encode_number_precision(3) return cjson.encode(1/3), cjson.new().encode(1/3)`)).toEqual([
    "0.333",
    "0.33333333333333",
  ]);
  expect(run(`return cjson.encode(1/3)`)).toEqual(["0.33333333333333"]);
  expect(run(`cjson.encode_sparse_array(true) return cjson.encode({[20] = 1})`)).toEqual([`{"20":1}`]);
});
