import type { WireMessage } from "../../core/messages/wire-message.ts";

/** A command on its way to a server, with its reply. */
export interface Exchange {
  readonly client: number;
  readonly server: string;
  readonly connection: string;
  readonly command: string;
  readonly keys: readonly string[];
  /** The beginning of each of its words, where replies are kept. */
  readonly words?: readonly string[];
  /** Which operation of its client was under way when it was sent, from 1; undefined: none. */
  readonly operation: number | undefined;
  /** False if it was sent before the run began: then it does not count. */
  readonly counts: boolean;
  /** True times in nanoseconds since the start of the run. */
  sentNs: number;
  reachedNs?: number;
  appliedNs?: number;
  repliedNs?: number;
  /** The beginning of the reply, where replies are kept. */
  reply?: string;
}

/**
 * What a run sent, in the order of sending.
 * @param invocations for each client, the indexes of its invocations in the history
 */
export function wireMessages(
  exchanges: readonly Exchange[],
  invocations: readonly (readonly number[])[],
): readonly WireMessage[] {
  const counts = new Map<string, number>();
  return exchanges.map(({ client, server, command, keys, connection, operation: nth, ...exchange }) => {
    const kind = `${client} ${server} ${command}`;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    const { sentNs, reachedNs, appliedNs, repliedNs, reply } = exchange;
    const operation = nth === undefined ? undefined : invocations[client]?.[nth - 1];
    const times = { sentNs, reachedNs, appliedNs, repliedNs };
    return {
      client,
      server,
      command,
      keys,
      count,
      connection,
      ...times,
      operation,
      reply,
    };
  });
}
