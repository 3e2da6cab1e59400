/**
 * `npm run bench`: runs benchmarks and prints their tables, or, with `--json`, their raw figures. The exit codes are
 * those of the command line: 1 when a benchmark found a problem, 254 for a bad flag or a missing requirement, 255 when
 * a benchmark failed.
 */
import { parseArgs } from "node:util";
import { HarnessError, messageOf, UserError } from "../core/errors.ts";
import { EXIT } from "../core/verdict.ts";
import { missingEngine } from "./missing-engine.ts";
import { describeMachine, machine } from "./machine.ts";
import { type BenchmarkEntry, benchmarks } from "./registry.ts";
import { StepLine } from "./step-line.ts";
import { renderTable, type Table } from "./table.ts";

const INTERRUPTED = 130;

const HELP = `npm run bench -- [name ..] [--effort number] [--json] [--list]

  --effort  how many times the usual work to do (default: 1, a few minutes in all)
  --json    print the raw figures
  --list    print the names
`;

interface Wish {
  readonly entries: readonly BenchmarkEntry[];
  readonly effort: number;
  readonly json: boolean;
}

const interruption = new AbortController();
process.on("SIGINT", () => {
  // A second interruption does not wait; the watchdog removes what is left.
  if (interruption.signal.aborted) process.exit(INTERRUPTED);
  process.stderr.write("\nbench: interrupted, cleaning up (again to leave at once)\n");
  interruption.abort(new UserError("interrupted", "what was measured is printed"));
});
process.exit(await main(process.argv.slice(2)));

async function main(words: readonly string[]): Promise<number> {
  try {
    const wish = readWish(words);
    return wish === undefined ? EXIT.valid : await measure(wish);
  } catch (error) {
    if (process.env["LOCKSTORM_DEBUG"] !== undefined) console.error(error);
    if (interruption.signal.aborted) return INTERRUPTED;
    if (error instanceof UserError) {
      console.error(`bench: ${error.message}; ${error.hint}`);
      return EXIT.usage;
    }
    console.error(`bench: ${error instanceof HarnessError ? "" : "unexpected: "}${messageOf(error)}`);
    return EXIT.harness;
  }
}

/**
 * The options; undefined when the request was already answered.
 * @throws UserError
 */
function readWish(words: readonly string[]): Wish | undefined {
  const { values, positionals } = readWords(words);
  if (values.help) {
    process.stdout.write(HELP);
    return undefined;
  }
  if (values.list) {
    for (const { name, summary, usual } of benchmarks) {
      process.stdout.write(`${name.padEnd(16)} ${summary}${usual ? " (runs when none is named)" : ""}\n`);
    }
    return undefined;
  }
  const effort = Number(values.effort);
  if (!Number.isInteger(effort) || effort < 1 || effort > 1000) {
    throw new UserError(`--effort "${values.effort}" is not a whole number from 1 to 1000`, "give one: --effort 4");
  }
  const unknown = positionals.find((word) => !benchmarks.some(({ name }) => name === word));
  if (unknown !== undefined) {
    const names = benchmarks.map(({ name }) => name).join(", ");
    throw new UserError(`there is no benchmark "${unknown}"`, `choose from ${names}`);
  }
  const entries = benchmarks.filter(({ name, usual }) =>
    positionals.length === 0 ? usual === true : positionals.includes(name),
  );
  return { entries, effort, json: values.json };
}

function readWords(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        effort: { type: "string", default: "1" },
        json: { type: "boolean", default: false },
        list: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
  } catch (error) {
    throw new UserError(messageOf(error).replace(/\. To specify.*$/, ""), "see npm run bench -- --help", {
      cause: error,
    });
  }
}

async function measure({ entries, effort, json }: Wish): Promise<number> {
  const missing = entries.some(({ needsEngine }) => needsEngine === true) ? await missingEngine() : undefined;
  if (missing !== undefined) throw missing;
  const where = machine();
  if (!json) process.stdout.write(`${describeMachine(where)}\n\n`);
  const results: { benchmark: string; tables: Table[] }[] = [];
  using progress = new StepLine();
  for (const { name, load } of entries) {
    const { benchmark } = await load();
    const tables: Table[] = [];
    results.push({ benchmark: name, tables });
    const step = (text: string): void => progress.step(`${name}: ${text}`);
    for await (const table of benchmark.run({ effort, step, signal: interruption.signal })) {
      tables.push(table);
      progress[Symbol.dispose]();
      if (!json) process.stdout.write(`${renderTable(table)}\n`);
      interruption.signal.throwIfAborted();
    }
  }
  if (json) process.stdout.write(`${JSON.stringify({ machine: where, effort, results }, undefined, 2)}\n`);
  const failed = results.some(({ tables }) => tables.some(({ failures = [] }) => failures.length > 0));
  return failed ? EXIT.invalid : EXIT.valid;
}
