/** One thing that a connection does. */
export interface Step {
  /** Name of the connection. */
  readonly on: string;
  readonly send?: readonly string[];
  /** Bytes instead of a command. */
  readonly raw?: string;
  /** The clock goes on by this much before. */
  readonly advanceMs?: number;
  /** The server closes the connection after this. */
  readonly closes?: boolean;
  /** No reply comes, and this connection can take no request now. */
  readonly silent?: boolean;
  /** Connections that are in a transaction after this step. */
  readonly inTransaction?: readonly string[];
}

export interface Scenario {
  readonly name: string;
  readonly config?: Readonly<Record<string, string>>;
  /** The request that shows that everything before it was answered: `ping` by default, which subscribers may send. */
  readonly marker?: "ping" | "echo";
  readonly steps: readonly Step[];
}

/** `a get k`: connection `a` sends GET k. */
export function steps(text: string): Step[] {
  return text
    .trim()
    .split("\n")
    .map((line) => {
      const [on = "", ...send] = line.trim().split(" ");
      return { on, send: send.map((argument) => (argument === "''" ? "" : argument)) };
    });
}

/** Steps within a transaction of this connection, MULTI first; EXEC or DISCARD is not among them. */
export function queued(on: string, text: string): Step[] {
  return steps(text).map((step) => ({ ...step, inTransaction: [on] }));
}

export function raw(on: string, bytes: string, more: Partial<Step> = {}): Step {
  return { on, raw: bytes, ...more };
}
