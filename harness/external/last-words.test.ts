import { expect, test } from "vitest";
import { LastWords } from "./last-words.ts";

function lineOf(...texts: readonly string[]): string {
  const words = new LastWords();
  for (const text of texts) words.add(text);
  return words.line;
}

test.each([
  ["nothing", "", ""],
  ["its last line", "connecting\nno licence for this lock\n", "no licence for this lock"],
  ["a last line without an end", "connecting\nno licence", "no licence"],
  [
    "Go",
    "panic: assignment to entry in nil map\n\ngoroutine 1 [running]:\nmain.main()\n\t/w/main.go:5 +0x2f\nexit status 2\n",
    "panic: assignment to entry in nil map",
  ],
  [
    "Go's runtime",
    "runtime: stack\nfatal error: stack overflow\n\nmain.f()\n\t/w/main.go:3\n",
    "fatal error: stack overflow",
  ],
  [
    "Java",
    'Exception in thread "main" java.lang.IllegalStateException: closed\n\tat W.main(W.java:3)\n',
    'Exception in thread "main" java.lang.IllegalStateException: closed',
  ],
  [
    "Rust",
    "thread 'main' (71) panicked at src/main.rs:2:5:\nno key\nnote: run with `RUST_BACKTRACE=1` environment variable\n",
    "thread 'main' (71) panicked at src/main.rs:2:5: no key",
  ],
  [
    "PHP",
    "PHP Fatal error:  Uncaught RedisException: gone in /w.php:3\nStack trace:\n#0 {main}\n  thrown in /w.php on line 3\n",
    "PHP Fatal error:  Uncaught RedisException: gone in /w.php:3",
  ],
  ["Ruby", "w.rb:1:in `f': no key (KeyError)\n\tfrom w.rb:3:in `<main>'\n", "w.rb:1:in `f': no key (KeyError)"],
  [
    "Lua",
    "lua5.4: w.lua:1: no key\nstack traceback:\n\t[C]: in function 'error'\n\tw.lua:1: in main chunk\n\t[C]: in ?\n",
    "lua5.4: w.lua:1: no key",
  ],
  ["Python", "Traceback (most recent call last):\n  File \"w.py\", line 1\nKeyError: 'k'\n", "KeyError: 'k'"],
  ["Node", "w.js:1\nError: no key\n    at f (w.js:1:7)\n\nNode.js v24.1.0\n", "Error: no key"],
])("says why a process ended: %s", (_, text, line) => {
  expect(lineOf(text)).toBe(line);
  expect(lineOf(...text.split(/(?<=.)/s))).toBe(line);
});

test("the announcement of a crash stays, however long its trace is", () => {
  expect(lineOf("panic: no key\n", "main.f()\n\t/w/main.go:3\n".repeat(10_000))).toBe("panic: no key");
});
