/** What is kept of the end of a line, and of the lines. */
const KEPT = 2000;

/** By what runtimes of languages begin to tell of a crash; where it was comes in the lines after it. */
const ANNOUNCEMENTS: readonly RegExp[] = [
  // Go
  /^(?:panic|fatal error): /,
  // The JVM
  /^Exception in thread "/,
  // The interpreter of Python
  /^Fatal Python error: /,
  // Rust
  /^thread '.*' (?:\(\d+\) )?panicked at /,
  // PHP, in its log or shown; OCaml; Swift, behind where it was
  /^(?:PHP |\S+:\d+: )?Fatal error: /,
  // .NET, Mono, Dart and Crystal
  /^Unhandled [Ee]xception[.:]/,
  // Deno
  /^error: Uncaught /,
  // Ruby, which may show the code below
  /^\S+:\d+:in [`'].*\(\w+(?:::\w+)*\)$/,
  // Elixir
  /^\*\* \(/,
];

/** Lines below an error that say where it was, or only that the program ends. */
const BELOW = new RegExp(
  `^(?:${[
    // Ruby, Lua and Node
    String.raw`\s+from |\s+\[C\]: |\t\S+: in |\s+at |stack traceback:|Node\.js v\d`,
    // Perl
    String.raw`BEGIN failed--|Execution of .* aborted due to |Compilation failed in require|\t\S.* called at `,
    // Haskell
    String.raw`CallStack \(from HasCallStack\):|\s+\S+, called at `,
    // R
    "Calls: |Execution halted$",
    // Python, round the exceptions of a group
    String.raw`\s+\+[-+]+(?: (?:\d+|\.\.\.) -+)?$`,
    // OCaml
    '(?:Raised (?:at|by)|Re-raised at|Called from) .*(?:in file "|unknown location)',
    // Erlang
    String.raw`\s+in (?:function|call from) |Crash dump is being written to: `,
    // D, and programs that ask the C library where they are
    String.raw`-{16}$|.* \[0x[\da-f]+\]$`,
  ].join("|")})`,
);

/** A trace that begins after the last line of an error: of Tcl, Clojure, and errors of Rust that carry one. */
const TRACE_BEGINS = /^(?: {4}while executing|Full report at:|Stack backtrace:)$/;

/** Node and Bun show the code, a line of carets below it, the error with its trace and fields, and at last their version. */
const CARETS = /^\s*\^+$/;
const NODE_ENDS = /^(?:Node\.js|Bun) v\d/;

/** R shows the error, then warnings from before it, and at last that it halts. */
const ERROR_OF_R = /^Error(?: in .*)? ?:/;
const R_ENDS = /^Execution halted$/;

/** Python tells at its end of exceptions that it ignores: which object, a trace, and the exception. */
const IGNORED = /^Exception ignored (?:in|on|while) ?/;
const TRACE_OF_PYTHON = /^(?:Traceback \(most recent call last\):|\s)/;

// oxlint-disable-next-line no-control-regex -- colours begin with one
const COLOURS = /\u001B\[[\d;]*m/g;

/** The standard error of a process, of which one line is to say why it ended. */
export class LastWords {
  #open = "";
  #announced = "";
  #last = "";
  /** The first line after the last line of carets; undefined before there is one, empty while it is to come. */
  #belowCarets: string | undefined;
  #errorOfR = "";
  /** What is read of an exception that Python ignores. */
  #inIgnored = false;
  #ignored = "";

  add(text: string): void {
    const lines = (this.#open + text).split("\n");
    this.#open = (lines.pop() ?? "").slice(-KEPT);
    for (const line of lines) this.#end(line);
  }

  /** The line that announces a crash, or the last one that does not only say where an error was. Empty if there is none. */
  get line(): string {
    this.#end(this.#open);
    this.#open = "";
    return [this.#announced, this.#last, this.#ignored].find((line) => line !== "") ?? "";
  }

  #end(whole: string): void {
    const line = whole.replaceAll(COLOURS, "").slice(0, KEPT).trimEnd();
    if (line === "" || this.#isOfIgnored(line)) return;
    if (NODE_ENDS.test(line) && this.#belowCarets !== undefined) this.#announced = this.#belowCarets;
    else if (R_ENDS.test(line) && this.#errorOfR !== "") this.#announced = this.#errorOfR;
    else if (TRACE_BEGINS.test(line)) this.#announced = this.#last;
    if (CARETS.test(line)) this.#belowCarets = "";
    else if (this.#belowCarets === "") this.#belowCarets = line;
    if (ERROR_OF_R.test(line)) this.#errorOfR = line;
    else this.#errorOfR = continued(this.#errorOfR, line);
    // Rust, Dart, Mono and Elixir say what it was on the next line.
    if (this.#announced.endsWith(":")) this.#announced = continued(this.#announced, line);
    else if (ANNOUNCEMENTS.some((begin) => begin.test(line))) this.#announced = line;
    else if (!BELOW.test(line)) this.#last = line.replace(/^\s+(?:\| )?/, "");
  }

  /** Whether a line belongs to an exception that Python ignores. Only where nothing else is said it is the reason. */
  #isOfIgnored(line: string): boolean {
    if (IGNORED.test(line)) {
      this.#inIgnored = true;
      this.#ignored = line;
      return true;
    }
    if (!this.#inIgnored) return false;
    if (!TRACE_OF_PYTHON.test(line)) {
      this.#inIgnored = false;
      this.#ignored = line;
    }
    return true;
  }
}

/** A line that ends with a colon goes on in the next one. */
function continued(line: string, next: string): string {
  return line.endsWith(":") ? `${line} ${next.trimStart()}` : line;
}
