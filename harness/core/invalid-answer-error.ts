/**
 * A driver answered something that is no answer, so that nobody knows what it did. `message` says what is wrong with
 * the answer, for the driver's author. A driver may throw it; the run is then unknown.
 */
export class InvalidAnswerError extends Error {
  override readonly name = "InvalidAnswerError";
}
