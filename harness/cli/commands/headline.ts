import { CONTENDERS, GUARDS } from "../../../workloads/headline-contenders.ts";
import { EXIT } from "../../core/verdict.ts";
import { backendFlag, BACKENDS } from "../backend.ts";
import { readRunFlags, runFlags } from "../common-flags.ts";
import { type Command, refuseOperands } from "../command.ts";
import { HEADLINE_DEFAULTS } from "../debate/defaults.ts";
import { textOptions } from "../output.ts";
import { Progress } from "../progress.ts";

const { server, store, "proxy-port": proxyPort } = runFlags;
const names = CONTENDERS.map(({ lock }) => lock);

/** `lockstorm headline`: the share of acknowledged updates that are lost under each lock. */
export const headline: Command = {
  name: "headline",
  summary: "measure how many acknowledged updates are lost under each lock",
  operands: "",
  flags: {
    lock: { value: "locks", help: `some of ${names.join(", ")}, separated by commas` },
    resource: { value: "checks", help: `what the resource checks: some of ${GUARDS.join(", ")}, separated by commas` },
    minutes: {
      value: "number",
      help: "virtual minutes of each lock and each resource; on containers real ones",
      default: String(HEADLINE_DEFAULTS.minutes),
    },
    seed: {
      value: "number",
      help: "seed of the plans: in simulation the same seed gives the same numbers",
      default: String(HEADLINE_DEFAULTS.seed),
    },
    backend: { ...backendFlag, default: "simulated" },
    server,
    "proxy-port": proxyPort,
    store,
    json: { help: "print the numbers as JSON" },
  },
  examples: [
    "lockstorm headline",
    "lockstorm headline --minutes 120 --json",
    "lockstorm headline --backend containers --lock single,fenced --resource fencing --minutes 2",
  ],
  run: async ({ operands, flags, signal }) => {
    refuseOperands("headline", operands);
    // Only now: no other command needs them.
    const { measureHeadline } = await import("../debate/measure-headline.ts");
    const { renderHeadlineText } = await import("../../../reports/headline.ts");
    const { required: _, json, ...containers } = readRunFlags(flags);
    using progress = new Progress();
    const locks = flags.list("lock", names) ?? names;
    const measured = await measureHeadline({
      contenders: CONTENDERS.filter(({ lock }) => locks.includes(lock)),
      guards: flags.list("resource", GUARDS) ?? GUARDS,
      minutes: flags.integer("minutes", 1) ?? HEADLINE_DEFAULTS.minutes,
      seed: flags.integer("seed", 0) ?? HEADLINE_DEFAULTS.seed,
      backend: flags.choice("backend", BACKENDS) ?? "simulated",
      containers,
      signal,
      progress,
    });
    progress[Symbol.dispose]();
    if (json) process.stdout.write(`${JSON.stringify(measured, undefined, 2)}\n`);
    else process.stdout.write(renderHeadlineText(measured, textOptions()));
    return EXIT.valid;
  },
};
