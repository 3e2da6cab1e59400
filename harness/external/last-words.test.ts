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
  [
    "Node that shows the code in colours",
    "w.js:1\n  throw e\n  ^\n\n\u001B[31mError\u001B[0m: no key\n\nNode.js v24.1.0\n",
    "Error: no key",
  ],
  [
    "Bun",
    "1 | f(); function f() { throw new Error('no key'); }\n                              ^\nerror: no key\n      at f (/w.ts:1:30)\n\nBun v1.4.5 (Linux x64)\n",
    "error: no key",
  ],
  [
    "Deno",
    "connecting\nerror: Uncaught (in promise) Error: no key\nf(); function f() { throw new Error('no key'); }\n                          ^\n    at f (file:///w.ts:1:27)\n",
    "error: Uncaught (in promise) Error: no key",
  ],
  [
    "a group of exceptions of Python",
    "  + Exception Group Traceback (most recent call last):\n  |   File \"w.py\", line 4, in main\n  | ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions)\n  +-+---------------- 1 ----------------\n    | Traceback (most recent call last):\n    | KeyError: 'k'\n    +---------------- 2 ----------------\n    | Traceback (most recent call last):\n    | ValueError: no key\n    +------------------------------------\n",
    "ValueError: no key",
  ],
  [
    "Python that ignores an exception at its end",
    'Traceback (most recent call last):\n  File "w.py", line 5\nKeyError: \'k\'\nException ignored in: <function C.__del__ at 0x7f>\nTraceback (most recent call last):\n  File "w.py", line 3, in __del__\nTypeError: in del\n',
    "KeyError: 'k'",
  ],
  [
    "Python that goes on after an exception that it ignores",
    'Exception ignored in: <function C.__del__ at 0x7f>\nTraceback (most recent call last):\n  File "w.py", line 3, in __del__\nTypeError: in del\nno licence\n',
    "no licence",
  ],
  [
    "Python that says nothing else than what it ignores",
    "Exception ignored in: <_io.TextIOWrapper name='<stdout>' mode='w' encoding='utf-8'>\nBrokenPipeError: [Errno 32] Broken pipe\n",
    "BrokenPipeError: [Errno 32] Broken pipe",
  ],
  [
    "the interpreter of Python",
    'connecting\nFatal Python error: Segmentation fault\n\nCurrent thread 0x7f (most recent call first):\n  File "w.py", line 1 in <module>\n',
    "Fatal Python error: Segmentation fault",
  ],
  [
    "Mono",
    "\nUnhandled Exception:\nSystem.Exception: no key ---> System.Exception: inner\n   --- End of inner exception stack trace ---\n  at P.Main () [0x0000f] in <82>:0 \n[ERROR] FATAL UNHANDLED EXCEPTION: System.Exception: no key ---> System.Exception: inner\n   --- End of inner exception stack trace ---\n  at P.Main () [0x0000f] in <82>:0 \n",
    "Unhandled Exception: System.Exception: no key ---> System.Exception: inner",
  ],
  [
    "Crystal",
    "Unhandled exception: no key (Exception)\n  from w.cr:2:3 in 'f'\n  from /lib/libc.so.6 in '??'\n  from ???\n",
    "Unhandled exception: no key (Exception)",
  ],
  [
    "a process of Elixir that another one ends",
    "** (EXIT from #PID<0.96.0>) an exception was raised:\n    ** (RuntimeError) no key\n        w.exs:1: anonymous fn/0 in :elixir_compiler_0.__FILE__/1\n\n",
    "** (EXIT from #PID<0.96.0>) an exception was raised: ** (RuntimeError) no key",
  ],
  [
    "Elixir with more to say",
    '** (ArgumentError) errors were found at the given arguments:\n\n  * 1st argument: not a textual representation of an integer\n\n    :erlang.binary_to_integer("x")\n    w.exs:1: (file)\n',
    "** (ArgumentError) errors were found at the given arguments: * 1st argument: not a textual representation of an integer",
  ],
  [
    "a script of Erlang",
    "escript: exception error: {redis,1}\n  in function  erl_eval:do_apply/7 (erl_eval.erl, line 742)\n  in call from escript:interpret/4 (escript.erl, line 780)\n",
    "escript: exception error: {redis,1}",
  ],
  [
    "Erlang",
    "init terminating in do_boot ({{redis,refused},[{init,do_boot,3,[]}]})\n\nCrash dump is being written to: erl_crash.dump...done\n",
    "init terminating in do_boot ({{redis,refused},[{init,do_boot,3,[]}]})",
  ],
  [
    "OCaml that is not compiled",
    'Exception: Failure "no key".\nCalled from unknown location\nRe-raised at Stdlib__Fun.protect in file "fun.ml", line 38, characters 6-52\n',
    'Exception: Failure "no key".',
  ],
  [
    "R after a warning",
    "Error in f() : no key\nCalls: g -> f\nIn addition: Warning message:\nIn f() : odd\nExecution halted\n",
    "Error in f() : no key",
  ],
  [
    "R with a long error",
    "Error in f(1) : \n  no key\nmore of it\nIn addition: Warning message:\nodd\nExecution halted\n",
    "Error in f(1) : no key",
  ],
  ["R after an error that it survived", "Error : other\nError: no key\nExecution halted\n", "Error: no key"],
  ["a program that only logs an error", "Error in f() : no key\nno licence\n", "no licence"],
  [
    "Tcl",
    'no key\n    while executing\n"error "no key" "\n    (procedure "f" line 1)\n    invoked from within\n"f 1"\n    (file "w.tcl" line 4)\n',
    "no key",
  ],
  [
    "Clojure",
    "Execution error (ExceptionInfo) at user/f (w.clj:1).\nno key\n\nFull report at:\n/w/clojure-1542.edn\n",
    "no key",
  ],
  [
    "an error of Rust with a trace",
    "Error: no key\n\nStack backtrace:\n   0: w::main\n             at ./src/main.rs:5:14\n   1: main\n",
    "Error: no key",
  ],
  [
    "D",
    "object.Exception@w.d(1): no key\n----------------\n/w.d:1 void w.f() [0x55a56f0fd350]\n??:? _Dmain [0x55a56f0fd391]\n",
    "object.Exception@w.d(1): no key",
  ],
  [
    "Nim",
    "/w.nim(3) w\n/w.nim(1) f\nError: unhandled exception: no key [ValueError]\n",
    "Error: unhandled exception: no key [ValueError]",
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
