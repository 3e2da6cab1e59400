import type { WireMessage } from "../../harness/core/messages/wire-message.ts";

/** What a message asks for: a script is the same however much of it is sent. */
export function askedIn({ command, script }: WireMessage): string {
  return script ?? command;
}

/** Whether two messages say the same for one operation of a client. */
export function sameGroup(one: WireMessage, other: WireMessage): boolean {
  return one.client === other.client && one.command === other.command && one.operation === other.operation;
}

/** Whether two servers are asked the same at once. Where the second one is asked later, what came in between matters. */
export function isSameRound(one: WireMessage, other: WireMessage): boolean {
  const isAtOnce = one.repliedNs === undefined || other.sentNs < one.repliedNs;
  return sameGroup(one, other) && one.server !== other.server && one.count === other.count && isAtOnce;
}

/**
 * Whether what follows may rest on the answer to this message alone: no more servers than a majority answered the same to
 * what they were asked at once. If there are more, they outvote one that is missing. Needs the replies.
 */
export function isDecisive(message: WireMessage, messages: readonly WireMessage[]): boolean {
  const round = messages.filter((other) => other === message || isAsked(message, other));
  const agreeing = round.filter(({ reply }) => reply === message.reply).length;
  return agreeing <= Math.floor(round.length / 2) + 1;
}

/**
 * Of several servers that were asked the same at once, the fewest of those that agree without which they are no majority; none if they
 * are none anyway, or if that takes a majority. Needs the replies.
 *
 * @param servers how many servers there are: some may not have been asked
 */
export function fewestOf(message: WireMessage, messages: readonly WireMessage[], servers: number): readonly string[] {
  const round = messages.filter((other) => other === message || isAsked(message, other));
  const majority = Math.floor(servers / 2) + 1;
  const answers = [...Map.groupBy(round, ({ reply }) => reply)];
  const agreeing = answers.flatMap(([reply, same]) => (reply !== undefined && same.length >= majority ? same : []));
  const fewest = agreeing.length - majority + 1;
  return fewest < majority ? agreeing.slice(0, Math.max(0, fewest)).map(({ server }) => server) : [];
}

/** Whether another server was asked the same at the same time. */
export function isAsked(message: WireMessage, other: WireMessage): boolean {
  return sameGroup(message, other) && message.server !== other.server && overlap(message, other);
}

/** Messages of one round can have other counts, where one server was asked more often before. */
function overlap(one: WireMessage, other: WireMessage): boolean {
  const [earlier, later] = one.sentNs <= other.sentNs ? [one, other] : [other, one];
  return later.sentNs <= (earlier.repliedNs ?? earlier.sentNs);
}
