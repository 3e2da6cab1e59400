import type { ConformityCheck } from "../conformity.ts";
import { contentsOf, isUntouched } from "../contents.ts";
import { isGranted, type Trial } from "../trial.ts";
import { beforeTheRequest } from "../unheard.ts";
import { INDETERMINATE } from "../answers-in-words.ts";

const TTL_MS = 60_000;
/** Time for a client to connect again, and for a library to load its scripts. */
const CONNECTING_MS = 3000;

/**
 * An extension or a release that no server has heard took no effect, unless it was sent again. A library that answers nothing where
 * its connection breaks makes a driver say that it did, which takes each answer but the refusal for a success.
 */
export const lostRequest: ConformityCheck = {
  name: "lost-request",
  asks: "extend or release whose connection breaks before the request arrives does not say that it took effect",
  async run(trial) {
    // Scripts are loaded and connections are made before.
    await trial.release(0, await trial.granted(0, { ttlMs: TTL_MS }));
    const granted = await trial.granted(0, { ttlMs: TTL_MS });
    await trial.sleep(CONNECTING_MS);
    const { reply } = await trial.extend(0, granted, TTL_MS);
    const grant = isGranted(reply) ? reply : granted;
    if (isGranted(reply)) {
      const extended = await unheard(trial, () => trial.extend(0, grant, 2 * TTL_MS));
      if (extended.isUntouched && extended.reply.ok) mistaken(trial, "extend answered ok");
      await trial.sleep(CONNECTING_MS);
    }
    const released = await unheard(trial, () => trial.release(0, grant));
    if (released.isUntouched && released.reply.ok && released.reply.released === true) {
      mistaken(trial, "release answered released: true");
    }
  },
};

function mistaken(trial: Trial, said: string): void {
  trial.mistake(`${said} although its connection had broken before a server heard of it: answer ${INDETERMINATE}`);
}

/** The answer, and whether the servers then keep what they would if they had never been asked. */
async function unheard(trial: Trial, perform: () => ReturnType<Trial["release"]>) {
  const from = trial.nowMs;
  const before = await contentsOf(trial);
  const { reply } = await beforeTheRequest(trial, perform);
  const after = await contentsOf(trial);
  return { reply, isUntouched: isUntouched(before, after, trial.nowMs - from) };
}
