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
  /^PHP Fatal error: /,
];

/** Lines below an error that say where it was, of Ruby and Lua, and what Node says below all errors. */
const BELOW = /^(?:\s+from |\s+\[C\]: |\t\S+: in |\s+at |stack traceback:|Node\.js v\d)/;

/** The standard error of a process, of which one line is to say why it ended. */
export class LastWords {
  #open = "";
  #announced = "";
  #last = "";

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
    // Rust says where it was before it says what.
    if (this.#announced.endsWith(":")) this.#announced += ` ${line}`;
    else if (ANNOUNCEMENTS.some((begin) => begin.test(line))) this.#announced = line;
    else if (line !== "" && !BELOW.test(line)) this.#last = line.trimStart();
  }
}
