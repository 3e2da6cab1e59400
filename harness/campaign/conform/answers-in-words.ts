/** What to answer when nobody knows whether an operation took effect: as a driver says it, and as a worker does. */
export const INDETERMINATE = '{ type: "info" } (a worker: "indeterminate")';

/** The same where a connection broke: libraries connect again and repeat the request, and show the second answer only. */
export const INDETERMINATE_IF_SENT_AGAIN = `${INDETERMINATE}, also where the client library sent the request again by itself`;

/** What to answer when another owner holds the lock. */
export const CONTENDED = '{ type: "fail", kind: "contended" } (a worker: "contended")';
