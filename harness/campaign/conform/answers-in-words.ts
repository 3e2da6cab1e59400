/** What to answer when nobody knows whether an operation took effect: as a driver says it, and as a worker does. */
export const INDETERMINATE = '{ type: "info" } (a worker: "indeterminate")';

/** What to answer when another owner holds the lock. */
export const CONTENDED = '{ type: "fail", kind: "contended" } (a worker: "contended")';
