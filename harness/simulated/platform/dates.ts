import { hostCalling } from "../kernel/current-context.ts";
import { real } from "./real.ts";
import { replace } from "./replace.ts";

/** The value of `Date.now()` for the caller. */
function nowMs(called: string): number {
  const host = hostCalling(called);
  if (host === null) return real.Date.now();
  host.countClockRead();
  return host.clock.wallMs();
}

/** Patches `Date` where it reads the time: without arguments, called as a function, and `Date.now`. */
export function patchDate(): void {
  const Real = real.Date;
  function SimulatedDate(...args: unknown[]): unknown {
    if (new.target === undefined) return new Real(nowMs("Date()")).toString();
    return Reflect.construct(Real, args.length === 0 ? [nowMs("new Date()")] : args, new.target);
  }
  Object.defineProperty(SimulatedDate, "name", { value: "Date" });
  Object.defineProperty(SimulatedDate, "length", { value: Real.length });
  Object.defineProperty(SimulatedDate, "prototype", { value: Real.prototype, writable: false });
  replace(SimulatedDate, "UTC", Real.UTC);
  replace(SimulatedDate, "parse", Real.parse);
  replace(SimulatedDate, "now", function now() {
    return nowMs("Date.now");
  });
  replace(Real.prototype, "constructor", SimulatedDate);
  replace(globalThis, "Date", SimulatedDate);
}
