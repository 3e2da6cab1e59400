import type { Completion, Grant, LockClient } from "../../core/lock-driver.ts";

/** What a stub client is granted by default. */
export const grant: Grant = { key: "k1", owner: "o1", fence: 7, validForMs: 980 };

/** A driver's client that a test programs; it remembers what it was asked. */
export class StubClient implements LockClient {
  extend?: NonNullable<LockClient["extend"]>;
  onLost?: NonNullable<LockClient["onLost"]>;
  onQueued?: NonNullable<LockClient["onQueued"]>;
  readonly asked: unknown[][] = [];
  disposed = 0;
  onAcquire: () => Promise<Completion<Grant>> = async () => ({ type: "ok", value: grant });
  onRelease: () => Promise<Completion<{ released: boolean }>> = async () => ({ type: "ok", value: { released: true } });

  acquire(...args: Parameters<LockClient["acquire"]>): Promise<Completion<Grant>> {
    this.asked.push(["acquire", ...args]);
    return this.onAcquire();
  }

  release(...args: Parameters<LockClient["release"]>): Promise<Completion<{ released: boolean }>> {
    this.asked.push(["release", ...args]);
    return this.onRelease();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.disposed += 1;
  }
}
