import type { Completion } from "../../harness/core/lock-driver.ts";
import type { Target } from "./connection-options.ts";

interface WaitBudget {
  /** How long to wait for another holder; 0 means one try, Infinity for ever. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** The outcome of one try. `heldForMs`: how long the other holder's lease lasts from now, where the server said so. */
export type TryOutcome<T> = Completion<T> & { readonly heldForMs?: number };

/** How one client waits for held locks. */
export interface Waiter extends AsyncDisposable {
  /**
   * Calls `attempt` until it is granted or indeterminate, the budget is used up, or the signal aborts, and returns the
   * outcome of the last attempt. An indeterminate attempt is never repeated.
   */
  wait<T>(key: string, budget: WaitBudget, attempt: () => Promise<TryOutcome<T>>): Promise<Completion<T>>;
}

/** Makes a client's waiter. `targets` are the addresses of its servers. */
export type WaitStrategy = (targets: readonly Target[]) => Promise<Waiter>;

/**
 * Polls. Each pause lasts `pauseMs` and a random part of `jitterMs`, so that contenders that failed together (as
 * Redlock's do when they split the vote) do not try together again. The last try is made when the budget ends.
 */
export function spin({ pauseMs, jitterMs }: { readonly pauseMs: number; readonly jitterMs: number }): WaitStrategy {
  return async () => ({
    async wait(_key, { waitMs, signal }, attempt) {
      const deadlineMs = performance.now() + waitMs;
      for (;;) {
        const completion = await attempt();
        const leftMs = deadlineMs - performance.now();
        if (completion.type !== "fail" || leftMs <= 0 || signal.aborted) return completion;
        if (!(await pause(Math.min(leftMs, pauseMs + Math.random() * jitterMs), signal))) return completion;
      }
    },
    async [Symbol.asyncDispose]() {},
  });
}

/** Sleeps; false when the signal cut it short. */
export function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  if (signal.aborted) resolve(false);
  const wake = (): void => resolve(false);
  const timer = setTimeout(() => resolve(true), ms);
  signal.addEventListener("abort", wake);
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", wake);
  });
}
