import { print } from "../terminal.ts";
import { printableJson } from "../../core/printable.ts";
import { CONTENDERS, GUARDS } from "../../../workloads/headline-contenders.ts";
import { EXIT } from "../../core/verdict.ts";
import { TABLE_BACKENDS } from "../../core/topologies/backend.ts";
import { backendFlag, readRunFlags, runFlags } from "../flags/run-flags.ts";
import { type Command, refuseOperands } from "../command.ts";
import { HEADLINE_DEFAULTS } from "../../campaign/debate/defaults.ts";
import { textOptions } from "../output.ts";
import { TerminalProgress } from "../terminal-progress.ts";

const { server, store, "proxy-port": proxyPort } = runFlags;
const names = CONTENDERS.map(({ lock }) => lock);

/** `lockstorm headline`: the share of acknowledged updates that are lost under each lock. */
export const headline: Command = {
  name: "headline",
  summary: "measure the share of acknowledged updates that is lost under each lock",
  operands: "",
  flags: {
    lock: { value: "locks", help: `some of ${names.join(", ")}, separated by commas`, choices: names },
    resource: {
      value: "checks",
      help: `what the resource checks: some of ${GUARDS.join(", ")}, separated by commas`,
      choices: GUARDS,
    },
    minutes: {
      value: "number",
      help: "virtual minutes per lock and resource; on containers real minutes",
      default: String(HEADLINE_DEFAULTS.minutes),
    },
    seed: {
      value: "number",
      help: "seed of the plans: in simulation the same seed gives the same numbers",
      default: String(HEADLINE_DEFAULTS.seed),
    },
    backend: { ...backendFlag, default: "simulated", choices: TABLE_BACKENDS },
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
  exits: {
    valid: "measured, whatever the result",
  },
  run: async ({ operands, flags, signal }) => {
    refuseOperands("headline", operands);
    // Imported only now: no other command needs them.
    const { measureHeadline } = await import("../../campaign/debate/measure-headline.ts");
    const { installedContenders } = await import("../../campaign/debate/installed-contenders.ts");
    const { renderHeadlineText } = await import("../../../reports/debate/headline.ts");
    const { json, environment } = readRunFlags(flags);
    using progress = new TerminalProgress();
    const { contenders, notInstalled } = await installedContenders(flags.list("lock", names));
    const measured = await measureHeadline(
      {
        contenders,
        guards: flags.list("resource", GUARDS) ?? GUARDS,
        minutes: flags.integer("minutes", 1) ?? HEADLINE_DEFAULTS.minutes,
        seed: flags.integer("seed", 0) ?? HEADLINE_DEFAULTS.seed,
        backend: flags.choice("backend", TABLE_BACKENDS) ?? "simulated",
      },
      { ...environment, signal, progress },
    );
    progress[Symbol.dispose]();
    if (json) print(printableJson(measured));
    else print(renderHeadlineText(measured, textOptions()) + leftOut(notInstalled));
    return EXIT.valid;
  },
};

function leftOut(packages: readonly string[]): string {
  if (packages.length === 0) return "";
  return `\n  Left out, since their packages are not installed: npm install ${packages.join(" ")}\n`;
}
