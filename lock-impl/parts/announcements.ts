import { siblingKey } from "./keys.ts";

/** Where a lock announces that it is free. */
export interface Announcement {
  channel(key: string): string;
  /** Whether a message on the channel says that the lock may be free. */
  means(message: string): boolean;
}

/** The message that the releasing script publishes. */
export const releaseMessage: Announcement = {
  channel: (key) => siblingKey(key, "freed"),
  means: () => true,
};

/**
 * Keyspace notifications: the server publishes each deletion and expiry, with any cause. They need
 * `notify-keyspace-events Kgx`, and database 0 of a single server.
 */
export const keyspaceNotification: Announcement = {
  channel: (key) => `__keyspace@0__:${key}`,
  means: (event) => event === "del" || event === "expired" || event === "evicted",
};
