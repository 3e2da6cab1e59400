import { format } from "node:util";
import { offStage, stage } from "../kernel/stage.ts";
import { replace } from "./replace.ts";

/**
 * Patches the console: what a host's program prints goes into that host's `output` and the trace, not to the terminal,
 * because a real console may use real timers (a test runner's does), and because thousands of runs would be noise.
 */
export function patchConsole(): void {
  for (const name of ["log", "info", "debug", "warn", "error", "trace"] as const) {
    const original = console[name].bind(console);
    replace(console, name, function (...args: unknown[]) {
      const { host } = stage;
      if (host === null) offStage(() => original(...args));
      else host.print(format(...args));
    });
  }
}
