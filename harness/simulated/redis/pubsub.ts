import { globMatches } from "./glob.ts";
import { PushReply } from "./protocol/reply.ts";

/** A connection that can be sent messages. */
export interface Subscriber {
  readonly channels: Set<string>;
  readonly patterns: Set<string>;
  readonly shardChannels: Set<string>;
  push(message: PushReply): void;
}

/**
 * The subscriptions. Order of delivery: subscribers of the channel, then of matching patterns, each in the order of
 * subscribing.
 */
export class PubSub {
  readonly channels = new Map<string, Set<Subscriber>>();
  readonly patterns = new Map<string, Set<Subscriber>>();
  readonly shardChannels = new Map<string, Set<Subscriber>>();

  /** Sends a message to all subscribers; returns the number of deliveries. */
  publish(channel: string, message: string): number {
    let receivers = 0;
    for (const subscriber of this.channels.get(channel) ?? []) {
      subscriber.push(new PushReply(["message", channel, message]));
      receivers += 1;
    }
    for (const [pattern, subscribers] of this.patterns) {
      if (!globMatches(pattern, channel)) continue;
      for (const subscriber of subscribers) {
        subscriber.push(new PushReply(["pmessage", pattern, channel, message]));
        receivers += 1;
      }
    }
    return receivers;
  }

  publishToShard(channel: string, message: string): number {
    const subscribers = this.shardChannels.get(channel);
    for (const subscriber of subscribers ?? []) subscriber.push(new PushReply(["smessage", channel, message]));
    return subscribers?.size ?? 0;
  }

  /** Forgets a connection that is gone. */
  drop(subscriber: Subscriber): void {
    for (const channel of subscriber.channels) remove(this.channels, channel, subscriber);
    for (const pattern of subscriber.patterns) remove(this.patterns, pattern, subscriber);
    for (const channel of subscriber.shardChannels) remove(this.shardChannels, channel, subscriber);
    subscriber.channels.clear();
    subscriber.patterns.clear();
    subscriber.shardChannels.clear();
  }
}

/** Adds a subscriber under a name. */
export function insert(subscribers: Map<string, Set<Subscriber>>, name: string, subscriber: Subscriber): void {
  const known = subscribers.get(name);
  if (known === undefined) subscribers.set(name, new Set([subscriber]));
  else known.add(subscriber);
}

/** Removes a subscriber from a name, and the name with its last subscriber. */
export function remove(subscribers: Map<string, Set<Subscriber>>, name: string, subscriber: Subscriber): void {
  const known = subscribers.get(name);
  if (known === undefined) return;
  known.delete(subscriber);
  if (known.size === 0) subscribers.delete(name);
}
