import { driverIn } from "../client/load-driver.ts";
import { refuseFakeTimers } from "../client/fake-timers.ts";
import type { VerificationOptions } from "../campaign/verification.ts";
import { SerialQueue } from "../core/serial-queue.ts";
import type { DriverFactory, Verification } from "./verify-options.ts";

const queue = new SerialQueue();

/**
 * Verifies in this process, one verification after another: only one simulation at a time can use the platform. The
 * platform stays patched, which changes nothing outside a simulation.
 */
export async function verifyHere(
  settings: VerificationOptions,
  factory: DriverFactory,
  signal?: AbortSignal,
): Promise<Verification> {
  return queue.run(() => verify(settings, factory, signal));
}

async function verify(
  settings: VerificationOptions,
  factory: DriverFactory,
  signal: AbortSignal | undefined,
): Promise<Verification> {
  signal?.throwIfAborted();
  await refuseFakeTimers();
  const { runVerification } = await import("./run-verification.ts");
  const driver = driverIn(await factory(), "the function given as lock");
  return runVerification(settings, { driver, signal });
}
