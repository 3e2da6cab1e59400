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

/**
 * Patches `Date` where it reads the time: without arguments, called as a function, and `Date.now`. So do the methods of
 * `Intl.DateTimeFormat` that format the present when they get no date.
 */
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
  patchDateTimeFormat();
}

function patchDateTimeFormat(): void {
  const home = Intl.DateTimeFormat.prototype;
  const formatToParts = Reflect.get(home, "formatToParts");
  replace(home, "formatToParts", function (this: Intl.DateTimeFormat, date?: Date | number) {
    return Reflect.apply(formatToParts, this, [date ?? nowMs("Intl.DateTimeFormat.formatToParts")]);
  });
  // Reading it makes a function for the formatter that it is read from.
  const descriptor = Object.getOwnPropertyDescriptor(home, "format");
  const patched = new WeakMap<Intl.DateTimeFormat, Intl.DateTimeFormat["format"]>();
  Object.defineProperty(home, "format", {
    configurable: true,
    get(this: Intl.DateTimeFormat) {
      const known = patched.get(this);
      if (known !== undefined) return known;
      const bound = descriptor?.get?.call(this) as Intl.DateTimeFormat["format"];
      const made: Intl.DateTimeFormat["format"] = (date) => bound(date ?? nowMs("Intl.DateTimeFormat.format"));
      patched.set(this, made);
      return made;
    },
  });
}
