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
  [
    "Ruby, with the code that failed",
    "w.rb:1:in `f': undefined method `foo' for nil:NilClass (NoMethodError)\n\nr.foo\n ^^^^\nDid you mean?  for\n\tfrom w.rb:2:in `<main>'\n",
    "w.rb:1:in `f': undefined method `foo' for nil:NilClass (NoMethodError)",
  ],
  [
    "Perl without a module",
    "Can't locate Redis.pm in @INC (@INC contains: /p) at w.pl line 1.\nBEGIN failed--compilation aborted at w.pl line 1.\n",
    "Can't locate Redis.pm in @INC (@INC contains: /p) at w.pl line 1.",
  ],
  [
    "Perl that cannot be compiled",
    'syntax error at w.pl line 1, near "= ;"\nExecution of w.pl aborted due to compilation errors.\n',
    'syntax error at w.pl line 1, near "= ;"',
  ],
  ["Perl with a trace", "no key at w.pl line 1.\n\tmain::f(1) called at w.pl line 2\n", "no key at w.pl line 1."],
  [
    "PHP without its log",
    "\nFatal error: Uncaught RedisException: gone in /w.php:3\nStack trace:\n#0 {main}\n  thrown in /w.php on line 3\n",
    "Fatal error: Uncaught RedisException: gone in /w.php:3",
  ],
  [
    "Node without a module",
    "node:internal/modules/cjs/loader:1210\n  throw err;\n  ^\n\nError: Cannot find module 'r'\nRequire stack:\n- /w.cjs\n    at f (w.cjs:1:1) {\n  code: 'MODULE_NOT_FOUND',\n  requireStack: [ '/w.cjs' ]\n}\n\nNode.js v20.20.2\n",
    "Error: Cannot find module 'r'",
  ],
  [
    "Node after an error that it survived",
    "w.js:1\n  throw e\n  ^\n\nError: of a child\n\nNode.js v24.1.0\nw.js:1\n  throw e\n  ^\n\nError: its own\nmore of it\n\nNode.js v24.1.0\n",
    "Error: its own",
  ],
  [
    "Python, whose errors of syntax have carets",
    "  File \"w.py\", line 1\n    f(\n     ^\nSyntaxError: '(' was never closed\n",
    "SyntaxError: '(' was never closed",
  ],
  [
    ".NET",
    "Unhandled exception. System.Exception: no key\n ---> System.Exception: inner\n   at P.F() in /w/P.cs:line 3\n   --- End of inner exception stack trace ---\n   at P.Main() in /w/P.cs:line 5\n",
    "Unhandled exception. System.Exception: no key",
  ],
  [
    "Dart",
    "Unhandled exception:\nException: no key\n#0      main (file:///w.dart:1:15)\n#1      _f (dart:isolate:1:2)\n",
    "Unhandled exception: Exception: no key",
  ],
  ["Haskell", "w: no key\nCallStack (from HasCallStack):\n  error, called at w.hs:1:8 in main:Main\n", "w: no key"],
  ["Elixir", "** (RuntimeError) no key\n    w.exs:1: (file)\n", "** (RuntimeError) no key"],
  [
    "OCaml",
    'Fatal error: exception Failure("no key")\nRaised at Stdlib.failwith in file "stdlib.ml", line 29\n',
    'Fatal error: exception Failure("no key")',
  ],
  ["R", "Error in f() : no key\nCalls: f\nExecution halted\n", "Error in f() : no key"],
  ["Python", "Traceback (most recent call last):\n  File \"w.py\", line 1\nKeyError: 'k'\n", "KeyError: 'k'"],
  ["Node", "w.js:1\nError: no key\n    at f (w.js:1:7)\n\nNode.js v24.1.0\n", "Error: no key"],
])("says why a process ended: %s", (_, text, line) => {
  expect(lineOf(text)).toBe(line);
  expect(lineOf(...text.split(/(?<=.)/s))).toBe(line);
});

test("the announcement of a crash stays, however long its trace is", () => {
  expect(lineOf("panic: no key\n", "main.f()\n\t/w/main.go:3\n".repeat(10_000))).toBe("panic: no key");
});
