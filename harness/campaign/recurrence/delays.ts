/**
 * How long things take that no plan says. A simulation does them at once; real servers and processes take their time, and
 * a counterexample that lasts must not depend on it.
 */
export interface Delays {
  /** How much later than its trigger a fault takes effect, and how much later it is healed, in milliseconds. */
  readonly faultMs: number;
  /** How long a message takes from one host to another, in microseconds, both bounds included. */
  readonly messageUs: { readonly from: number; readonly to: number };
}
