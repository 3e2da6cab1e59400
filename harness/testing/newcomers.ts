/** One file of a newcomer's change: its destination, and its source in `newcomers`. */
interface Addition {
  readonly path: string;
  readonly from: string;
}

/** A line that registers it: `insert` goes before the first occurrence of `before` in the file. */
interface Registration {
  readonly path: string;
  readonly before: string;
  readonly insert: string;
}

/** The changes that a newcomer makes, as CONTRIBUTING.md lists them. */
export interface NewcomersTask {
  /** As the table of CONTRIBUTING.md calls it. */
  readonly task: string;
  readonly file: Addition;
  readonly registrations: readonly Registration[];
}

/** The tasks, in the order of the table. */
export const NEWCOMERS_TASKS: readonly NewcomersTask[] = [
  {
    task: "add a fault",
    file: { path: "faults/proxy-restart.ts", from: "proxy-restart.ts.txt" },
    registrations: [
      {
        path: "faults/registry.ts",
        before: 'import { reset } from "./reset.ts";',
        insert: 'import { proxyRestart } from "./proxy-restart.ts";\n',
      },
      { path: "faults/registry.ts", before: "  forgetFences,\n]", insert: "  proxyRestart,\n" },
    ],
  },
  {
    task: "add a lock library",
    file: { path: "lock-impl/libraries/redlock4-on-three.ts", from: "redlock4-on-three.ts.txt" },
    registrations: [
      {
        path: "lock-impl/libraries/libraries.ts",
        before: 'import { redlock5 } from "./redlock5.ts";',
        insert: 'import { redlock4OnThree } from "./redlock4-on-three.ts";\n',
      },
      { path: "lock-impl/libraries/libraries.ts", before: "  redlock5,\n", insert: "  redlock4OnThree,\n" },
    ],
  },
  {
    task: "add a property",
    file: { path: "harness/check/properties/granted-once.ts", from: "granted-once.ts.txt" },
    registrations: [
      {
        path: "harness/core/verdict.ts",
        before: "  linearizability: {",
        insert: '  "granted-once": { letters: "GO", meaning: "somebody is granted the lock", promisable: false },\n',
      },
      {
        path: "harness/check/checkers.ts",
        before: "import { leaseExclusion }",
        insert: 'import { grantedOnce } from "./properties/granted-once.ts";\n',
      },
      {
        path: "harness/check/checkers.ts",
        before: "    linearizability:",
        insert: '    "granted-once": grantedOnce,\n',
      },
    ],
  },
  {
    task: "add a simulated topology",
    file: { path: "harness/core/topologies/triad.ts", from: "triad.ts.txt" },
    registrations: [
      {
        path: "harness/core/topologies/registry.ts",
        before: 'import { zookeeper } from "./zookeeper.ts";',
        insert: 'import { triad } from "./triad.ts";\n',
      },
      { path: "harness/core/topologies/registry.ts", before: ", postgres, zookeeper]", insert: ", triad" },
    ],
  },
  {
    task: "add a command",
    file: { path: "harness/cli/commands/greet.ts", from: "greet.ts.txt" },
    registrations: [
      {
        path: "harness/cli/commands/registry.ts",
        before: "  init: ",
        insert: '  greet: async () => (await import("./greet.ts")).greet,\n',
      },
    ],
  },
  {
    task: "add a report format",
    file: { path: "reports/run/tally.ts", from: "tally.ts.txt" },
    registrations: [
      {
        path: "reports/formats.ts",
        before: 'import { renderText } from "./run/text.ts";',
        insert: 'import { renderTally } from "./run/tally.ts";\n',
      },
      {
        path: "reports/formats.ts",
        before: "  svg: { render",
        insert: '  tally: { render: renderTally, extension: ".tally.txt" },\n',
      },
    ],
  },
];
