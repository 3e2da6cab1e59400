import type { WireMessage } from "../../core/messages/wire-message.ts";

/** A command on its way to a server, with its reply. */
export interface Exchange {
  readonly client: number;
  readonly server: string;
  readonly connection: string;
  readonly command: string;
  /** Of a script, its hash; of a function, its name. */
  readonly script?: string | undefined;
  readonly keys: readonly string[];
  /** The beginning of each of its words, where replies are kept. */
  readonly words?: readonly string[];
  /** Index of its client's invocation that was under way when it was sent; undefined: none, or nobody knows which. */
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

/** What a run sent, in the order of sending. */
export function wireMessages(exchanges: readonly Exchange[]): readonly WireMessage[] {
  const counts = new Map<string, number>();
  return exchanges.map(({ client, server, command, script, keys, connection, operation, ...exchange }) => {
    const kind = `${client} ${server} ${command}`;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    const { sentNs, reachedNs, appliedNs, repliedNs, reply } = exchange;
    const times = { sentNs, reachedNs, appliedNs, repliedNs };
    return {
      client,
      server,
      command,
      script,
      keys,
      count,
      connection,
      ...times,
      operation,
      reply,
    };
  });
}
