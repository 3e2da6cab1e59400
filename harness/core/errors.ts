/**
 * An error that the user can fix: a bad flag, a bad file, a missing engine, a port in use.
 * The command line prints it as one line, `message` then `hint`, without a stack, and exits with 254.
 */
export class UserError extends Error {
  override readonly name = "UserError";
  /** What to do about it, in the imperative, without a final full stop. */
  readonly hint: string;

  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.hint = hint;
  }
}

/** A driver has made it impossible to go on with its client, in this run and in every other. */
export class UnusableClientError extends UserError {}

/**
 * The harness could not do its own work: the engine died in the middle of a run, a container could not be started. The
 * events recorded so far stay on disk. The command line prints one line and exits with 255.
 */
export class HarnessError extends Error {
  override readonly name: string = "HarnessError";
}

/**
 * A client was ended by a signal that no fault sent: by its lock, by the system or by a person. What was done until then is
 * known, and the rest of the run is not.
 */
export class ClientEndedError extends HarnessError {
  override readonly name = "ClientEndedError";
}

/** The message of anything that was thrown, on one line. */
export function messageOf(thrown: unknown): string {
  return textOf(thrown).replaceAll(/\s*\n\s*/g, " ");
}

function textOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message || thrown.name : thrown);
  } catch {
    // An object without a prototype, or whose own code throws.
    return "an error that cannot be shown";
  }
}

/**
 * A driver answered something that is no answer, so that nobody knows what it did. `message` says what is wrong with
 * the answer, for the driver's author. A driver may throw it; the run is then unknown.
 */
export class InvalidAnswerError extends Error {
  override readonly name = "InvalidAnswerError";
}
