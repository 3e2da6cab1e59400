import type { ConformityCheck } from "../conformity.ts";
import { isGranted, LEASE_MS, replyWords, type Trial } from "../trial.ts";

/** How long each of several requests keeps the lock, and how long the others wait for their turns. */
const HELD_MS = 100;
const WAIT_MS = 10_000;
/** How long a request waits in vain while others of its client are made. */
const BLOCKED_MS = 1000;
/** Short, because a lock may keep a key until its lease ends, whether or not it was released. */
const TURN_LEASE_MS = 1500;

/** Several operations of one client at a time, which a driver states in `supports`. */
export const severalAtOnce: ConformityCheck = {
  name: "several-at-once",
  asks: "operations of one client that are under way at the same time do not disturb each other",
  needs: "concurrent",
  async run(trial) {
    await besideOneThatWaits(trial);
    await twoKeysAtOnce(trial);
    await oneKeyInTurn(trial);
  },
};

/** While one request of a client waits for a held lock, another takes a free one and gives it back. */
async function besideOneThatWaits(trial: Trial): Promise<void> {
  const holder = await trial.granted(2, { ttlMs: LEASE_MS });
  let isWaiting = true;
  const waiting = trial.acquire(0, { ttlMs: LEASE_MS, waitMs: BLOCKED_MS }).finally(() => (isWaiting = false));
  const beside = await trial.acquire(0, { ttlMs: LEASE_MS, key: "k2" });
  const { reply } = beside;
  if (!isGranted(reply)) {
    trial.mistakeInTime(
      [beside],
      `while another acquire of its client waited, acquire of the free key k2 answered ${replyWords(reply)}`,
    );
  } else {
    await trial.release(0, reply, "k2");
    if (!isWaiting)
      trial.remark(
        "an acquire that waited for a held key kept another operation of its client waiting: if the driver does one at a time, leave out `concurrent`",
      );
  }
  await waiting;
  await trial.release(2, holder);
}

/** Two acquires at once are two holds, and each release frees its own. */
async function twoKeysAtOnce(trial: Trial): Promise<void> {
  const keys = ["k3", "k4"] as const;
  const [one, other] = await Promise.all(keys.map((key) => trial.granted(1, { ttlMs: LEASE_MS, key })));
  if (one === undefined || other === undefined) return;
  if (one.owner === other.owner) trial.mistake(`two acquisitions at a time have the same owner value, ${one.owner}`);
  const released = await trial.release(1, one, keys[0]);
  if (released.reply.ok && released.reply.released === false) {
    trial.mistakeWithin(
      [one],
      `release of ${keys[0]} answered released: false, while its client held it and, since another acquire at the same time, ${keys[1]}: keep what belongs to an acquisition in variables of that call`,
    );
  }
  const { reply } = await trial.acquire(2, { ttlMs: LEASE_MS, key: keys[1] });
  if (isGranted(reply))
    trial.mistakeWithin([other], `a release of ${keys[0]} freed ${keys[1]}, which its client held too`);
  const next = await trial.acquire(2, { ttlMs: LEASE_MS, key: keys[0] });
  if (!isGranted(next.reply))
    trial.mistakeAfter(
      released,
      next,
      `after the release of ${keys[0]}, acquire of it answered ${replyWords(next.reply)}`,
    );
}

/** Requests of one client for the same key get it one after another: two that ask at once, and two that come while one of those holds. */
async function oneKeyInTurn(trial: Trial): Promise<void> {
  const held = new Map<string, number>();
  const turn = async (): Promise<void> => {
    const { reply, untilMs } = await trial.acquire(0, { ttlMs: TURN_LEASE_MS, waitMs: WAIT_MS, key: "k5" });
    if (!isGranted(reply)) {
      const words = `of four acquires of one client at a time, each of which gave the key back, one was answered ${replyWords(reply)}`;
      return reply.ok || reply.kind !== "indeterminate" ? trial.mistake(words) : trial.remark(words);
    }
    const others = [...held].filter(([owner]) => owner !== reply.owner).map(([, until]) => ({ untilMs: until }));
    held.set(reply.owner, untilMs);
    if (others.length > 0)
      trial.mistakeWithin(
        [...others, { untilMs }],
        "two acquires of one client were granted a key at the same time, under two owner values",
      );
    await trial.sleep(HELD_MS);
    held.delete(reply.owner);
    await trial.release(0, reply, "k5");
  };
  const first = [turn(), turn()];
  await trial.sleep(HELD_MS / 2);
  await Promise.all([...first, turn(), turn()]);
}
