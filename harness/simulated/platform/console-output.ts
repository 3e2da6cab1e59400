import { format } from "node:util";
import { outsideSimulation, current } from "../kernel/current-context.ts";
import { replace } from "./replace.ts";

/**
 * Patches the console: output of a host's program goes into that host's `output` and the trace, not to the terminal,
 * because a real console may use real timers (a test runner's does), and because thousands of runs would flood the
 * terminal.
 */
export function patchConsole(): void {
  for (const name of ["log", "info", "debug", "warn", "error", "trace"] as const) {
    const original = console[name].bind(console);
    replace(console, name, function (...args: unknown[]) {
      const { host } = current;
      if (host === null) outsideSimulation(() => original(...args));
      else host.print(format(...args));
    });
  }
}
