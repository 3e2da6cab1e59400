/** What is kept of the end of a line, and of the lines. */
const KEPT = 2000;

/** By what runtimes of languages begin to tell of a crash; where it was comes in the lines after it. */
const ANNOUNCEMENTS: readonly RegExp[] = [
  // Go
  /^(?:panic|fatal error): /,
  // The JVM
  /^Exception in thread "/,
  // Rust
  /^thread '.*' (?:\(\d+\) )?panicked at /,
  // PHP, in its log or shown; OCaml; Swift, behind where it was
  /^(?:PHP |\S+:\d+: )?Fatal error: /,
  // .NET, Dart and Crystal
  /^Unhandled exception[.:]/,
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
  ].join("|")})`,
);

/** Node shows the code, a line of carets below it, the error with its trace and fields, and at last its version. */
const CARETS = /^\s*\^+$/;
const NODE_ENDS = /^Node\.js v\d/;

/** The standard error of a process, of which one line is to say why it ended. */
export class LastWords {
  #open = "";
  #announced = "";
  #last = "";
  /** The first line after the last line of carets; undefined before there is one, empty while it is to come. */
  #belowCarets: string | undefined;

  add(text: string): void {
    const lines = (this.#open + text).split("\n");
    this.#open = (lines.pop() ?? "").slice(-KEPT);
    for (const line of lines) this.#end(line);
  }

  /** The line that announces a crash, or the last one that does not only say where an error was. Empty if there is none. */
  get line(): string {
    this.#end(this.#open);
    this.#open = "";
    return this.#announced === "" ? this.#last : this.#announced;
  }

  #end(whole: string): void {
    const line = whole.slice(0, KEPT).trimEnd();
    if (NODE_ENDS.test(line) && this.#belowCarets !== undefined) this.#announced = this.#belowCarets;
    if (CARETS.test(line)) this.#belowCarets = "";
    else if (this.#belowCarets === "") this.#belowCarets = line;
    // Rust and Dart say what it was on the next line.
    if (this.#announced.endsWith(":")) this.#announced += ` ${line}`;
    else if (ANNOUNCEMENTS.some((begin) => begin.test(line))) this.#announced = line;
    else if (line !== "" && !BELOW.test(line)) this.#last = line.trimStart();
  }
}
