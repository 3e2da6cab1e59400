import type { EventScript } from "./event-script.ts";

const LIMIT_MS = 120_000;

/** What to wait for scripts with: the time of their topology. */
export interface Waiting {
  /** The scripts so far. */
  readonly scripts: () => readonly EventScript[];
  readonly nowMs: () => number;
  /** Lets a little time pass. */
  readonly pause: () => Promise<unknown>;
}

/**
 * Waits until scripts are as asked, or until one of them ends because the machine stalled.
 * @throws when they are not within two minutes
 */
export async function scriptsReached(
  reached: (scripts: readonly EventScript[]) => boolean,
  { scripts, nowMs, pause }: Waiting,
): Promise<void> {
  const deadlineMs = nowMs() + LIMIT_MS;
  for (;;) {
    const now = scripts();
    if (reached(now) || now.some(({ isWhole }) => !isWhole)) return;
    if (nowMs() > deadlineMs) throw new Error(`not within ${LIMIT_MS} ms: ${JSON.stringify(now, undefined, 2)}`);
    await pause();
  }
}
