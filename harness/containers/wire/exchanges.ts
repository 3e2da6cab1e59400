import type { ReplyFrame } from "./reply-reader.ts";

/** Commands that a server confirms once for each channel, as arrays, or as pushes in version 3 of the protocol. */
const SUBSCRIPTIONS = ["SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE", "UNSUBSCRIBE", "PUNSUBSCRIBE", "SUNSUBSCRIBE"];
const CONFIRMATIONS = SUBSCRIPTIONS.map((name) => name.toLowerCase());
/** Messages of channels, which nobody asked for at that moment. */
const PUBLISHED = ["message", "pmessage", "smessage"];

interface Awaited<T> {
  readonly command: T;
  readonly isSubscription: boolean;
  left: number;
}

/**
 * Finds the command that a value from the server answers: a connection's replies come in the order of its commands.
 * Queued commands of a transaction are each answered, blocked ones late but in their turn. Messages of channels and
 * other pushes answer none. After a command that changes this rule (MONITOR, CLIENT REPLY), no reply is known any more.
 */
export class Exchanges<T> {
  readonly #awaited: Awaited<T>[] = [];
  #subscribes = false;
  #isKnown = true;

  /** A command is on its way. */
  sent(argv: readonly string[], command: T): void {
    const [name = "", sub = ""] = argv.map((word) => word.toUpperCase());
    // The server does not answer an empty line.
    if (name === "" || !this.#isKnown) return;
    if (name === "MONITOR" || name === "SYNC" || name === "PSYNC" || (name === "CLIENT" && sub === "REPLY")) {
      this.#isKnown = false;
      return;
    }
    const isSubscription = SUBSCRIPTIONS.includes(name);
    if (isSubscription) this.#subscribes = true;
    this.#awaited.push({ command, isSubscription, left: isSubscription ? Math.max(1, argv.length - 1) : 1 });
  }

  /** The command that this value answers, with its last part; undefined when it answers none, or not yet all. */
  answered({ type, kind = "" }: ReplyFrame): T | undefined {
    if (!this.#isKnown || type === "") return undefined;
    const [first] = this.#awaited;
    const isConfirmation = CONFIRMATIONS.includes(kind);
    if (type === ">" && !isConfirmation) return undefined;
    if (type === "*" && this.#subscribes && PUBLISHED.includes(kind)) return undefined;
    // Somebody else's doing, such as a slot that moved away.
    if (isConfirmation && type === ">" && first?.isSubscription !== true) return undefined;
    if (first === undefined) return undefined;
    // An error ends the command, however many channels it names.
    first.left = type === "-" || type === "!" ? 0 : first.left - 1;
    if (first.left > 0) return undefined;
    this.#awaited.shift();
    return first.command;
  }
}
