/**
 * A mistake or a lack that the person at the keyboard can mend: a bad flag, a bad file, no engine, a port taken.
 * The command line prints it as one line, `message` then `mend`, without a stack, and exits with 254.
 */
export class UserError extends Error {
  override readonly name = "UserError";
  /** What to do about it, in the imperative, without a final full stop. */
  readonly mend: string;

  constructor(message: string, mend: string, options?: ErrorOptions) {
    super(message, options);
    this.mend = mend;
  }
}

/**
 * The harness could not do its own work: the engine died in the middle of a run, a container could not be started.
 * Whatever was recorded stays on disk. The command line prints one line and exits with 255.
 */
export class HarnessError extends Error {
  override readonly name = "HarnessError";
}

/** The message of anything that was thrown, on one line. */
export function messageOf(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
  return text.replaceAll(/\s*\n\s*/g, " ");
}
