/** The error that came first: when clean-up after an error fails too, JavaScript wraps both in a `SuppressedError`. */
export function firstError(thrown: unknown): unknown {
  let error = thrown;
  while (error instanceof SuppressedError) error = error.suppressed;
  return error;
}
