import type { UpstreamReport } from "./reports.ts";
import type { Outcome } from "./try-side.ts";

/** By the name of a report: how its two versions did. */
export type Outcomes = Readonly<Record<string, { readonly red: Outcome; readonly green: Outcome }>>;

/** The page about reports of users, as Markdown. */
export function upstreamPage(reports: readonly UpstreamReport[], outcomes: Outcomes): string {
  return [
    "# Bug reports, tried on the version that they name and on the version that fixed them",
    "",
    "In a clone, `npm run docs:upstream` installs both versions of each library, with packages from npm, PyPI, Maven Central and the Go module",
    "proxy, runs one plan with both, in simulation what runs in Node and the others on live servers, and writes this page with what",
    "came out. It takes minutes and needs no container engine.",
    "",
    "| library | the report says | breaks | version | outcome | version | outcome |",
    "|---|---|---|---|---|---|---|",
    ...reports.map((report) => row(report, outcomes)),
    "",
    "To run one of them, in a clone of lockstorm, after `npm ci`:",
    "",
    ...reports.map(({ name }) => `    npm run upstream -- ${name}`),
    "",
    "or, once it is built, by hand: the versions are worker files, drivers or locks that lockstorm knows, and the plans are files or",
    "scenarios of the [catalogue](catalogue.md). With `--backend containers` they run on real servers.",
    "",
    ...reports.map(
      ({ name, plan, red, property }) =>
        `- \`${name}\`: ${planOf(plan)} with \`${red.lock}\` and \`--require ${property}\``,
    ),
    "",
    "## Not shown here",
    "",
    "- [node-redlock#11](https://github.com/mike-marcacci/node-redlock/issues/11), `unlock` that succeeds although no server has answered:",
    "  1.0.1 does so in simulation. The lock stays for its lease, which no property forbids.",
    "- [walrus#110](https://github.com/coleifer/walrus/issues/110) and",
    "  [python-redis-lock#71](https://github.com/ionelmc/python-redis-lock/issues/71), waiters that sleep on although the lock is free:",
    "  not run, since by their code they never say that another holds it, and to be late breaks no property.",
    "- [redisson#3490](https://github.com/redisson/redisson/pull/3490), a refused request for a lease that changes what the watchdog of the",
    "  holder sets: in our plan 3.15.1 renewed with the time-out of the watchdog all the same.",
    "- [redisson#4678](https://github.com/redisson/redisson/issues/4678), `trySetPermits` that sets permits anew when none is left: 3.18.0",
    "  keeps the limit all the same, because its script compares a string with a number.",
    "- [redisson#1604](https://github.com/redisson/redisson/issues/1604), a watchdog that renews no read locks: 3.8.0 does not start on",
    "  Java 17.",
    "",
  ].join("\n");
}

function row({ name, library, says, url, property, red, green }: UpstreamReport, outcomes: Outcomes): string {
  const found = outcomes[name];
  const number = url.slice(url.lastIndexOf("/") + 1);
  return `| ${library} | [#${number}](${url}): ${says} | ${property} | ${red.version} | ${found?.red ?? ""} | ${green.version} | ${found?.green ?? ""} |`;
}

function planOf(plan: string): string {
  return plan.endsWith(".json") ? `[${plan}](../${plan})` : `the scenario \`${plan}\``;
}
