import { driverIn } from "../client/load-driver.ts";
import { UserError } from "../core/errors.ts";
import type { VerifySettings } from "./settings.ts";
import type { DriverFactory, Verification } from "./verify-options.ts";

let last: Promise<unknown> = Promise.resolve();

/**
 * Verifies in this process, one after another: there is one platform, and one simulation at a time can have it. The
 * platform stays patched, which outside a simulation changes nothing.
 */
export async function verifyHere(
  settings: VerifySettings,
  factory: DriverFactory,
  signal?: AbortSignal,
): Promise<Verification> {
  const turn = last.then(() => verify(settings, factory, signal));
  last = turn.catch(() => {});
  return turn;
}

async function verify(
  settings: VerifySettings,
  factory: DriverFactory,
  signal: AbortSignal | undefined,
): Promise<Verification> {
  signal?.throwIfAborted();
  refuseFakeTimers();
  const { runVerification } = await import("./run-verification.ts");
  const driver = driverIn(await factory(), "the function given as lock");
  return runVerification(settings, { driver, ...(signal === undefined ? {} : { signal }) });
}

/** Fake timers of a test runner would be taken for the real ones, and nothing would ever happen. */
function refuseFakeTimers(): void {
  if (!Object.hasOwn(setTimeout, "clock")) return;
  throw new UserError("fake timers are in force", "use real ones: vi.useRealTimers()");
}
