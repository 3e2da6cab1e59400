/**
 * Do the tests of the checkers notice when a checker is wrong? `npm run mutants` changes one place at a time, as
 * `mutants.json` lists them, in a copy of the folders that judge histories, and runs tests until one fails: first those
 * that killed a mutant of the same file the last time (`killers.json`), then all. Exits with 1 when a mutant survives
 * all tests, does not load, or keeps them from ending. A mutant that may survive is listed with the reason, and tried when it is named or
 * with `--survivors`.
 *
 * `npm run mutants -- 17 42` tries those two. `npm run mutants -- --remember` rewrites `killers.json`.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { MutantTests, type Outcome } from "./mutant-tests.ts";
import { KILLERS_FILE, readKillers, readMutants, type Killers, type Mutant } from "./mutants.ts";

const LIMIT_MS = 600_000;

/** How many characters of what a test says are told. */
const TOLD_CHARACTERS = 4000;

type Numbered = Mutant & { readonly number: number };

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { survivors: { type: "boolean" }, remember: { type: "boolean" } },
    allowPositionals: true,
  });
  const mutants = readMutants().map((mutant, number) => ({ ...mutant, number }));
  const named = positionals.map(Number);
  const unknown = named.find((number) => mutants[number] === undefined);
  if (unknown !== undefined) {
    console.error(`there is no mutant ${unknown}; give numbers from 0 to ${mutants.length - 1}`);
    process.exitCode = 1;
    return;
  }
  const isChosen = ({ number, survives }: Numbered): boolean =>
    named.length > 0 ? named.includes(number) : values.survivors === true || survives === undefined;
  const chosen = mutants.filter(isChosen);

  const tests = await MutantTests.open();
  process.on("exit", () => {
    tests.remove();
  });
  // Without a listener a signal ends the process without "exit".
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  const killers: Killers = values.remember === true ? {} : readKillers();
  const left = values.remember === true ? chosen : await tryKillers(tests, chosen, killers);
  const survivors = left.length === 0 ? [] : await tryAll(tests, left, killers);
  if (values.remember === true) writeFileSync(KILLERS_FILE, `${JSON.stringify(killers, undefined, 2)}\n`);
  await tests.close();

  const unexplained = survivors.filter(({ survives }) => survives === undefined).length;
  console.log(
    `${chosen.length} of ${mutants.length} mutants tried, ${left.length} of them with all tests: ` +
      `${unexplained} survived without a reason, ${survivors.length - unexplained} with one`,
  );
  process.exitCode = unexplained > 0 ? 1 : 0;
}

/** Tries each mutant with the tests that killed one of its file the last time. Gives the mutants that survive them. */
async function tryKillers(tests: MutantTests, mutants: readonly Numbered[], killers: Killers): Promise<Numbered[]> {
  await withoutMutant(() => tests.some(merged(Object.values(killers))));
  const left: Numbered[] = [];
  for (const mutant of mutants) {
    const outcome = await outcomeOf(mutant, () => tests.mutated(mutant, () => tests.some(killers[mutant.file] ?? {})));
    if (outcome.type === "killed") tell(mutant, outcome);
    else left.push(mutant);
  }
  return left;
}

/** Tries each mutant with all tests, those that killed one of its file first, and adds what kills it to `killers`. */
async function tryAll(tests: MutantTests, mutants: readonly Numbered[], killers: Killers): Promise<Numbered[]> {
  await withoutMutant(() => tests.all());
  const survivors: Numbered[] = [];
  for (const mutant of mutants) {
    const known = (killers[mutant.file] ??= {});
    const outcome = await outcomeOf(mutant, () =>
      tests.mutated(mutant, async () => {
        const first = await tests.some(known);
        return first.type === "survived" ? tests.all() : first;
      }),
    );
    tell(mutant, outcome);
    if (outcome.type !== "killed") survivors.push(mutant);
    else if (known[outcome.file]?.includes(outcome.test) !== true) (known[outcome.file] ??= []).push(outcome.test);
  }
  return survivors;
}

/** @throws when the tests fail without any mutant: then they say nothing about one */
async function withoutMutant(run: () => Promise<Outcome>): Promise<void> {
  const outcome = await run();
  if (outcome.type === "survived") return;
  const where = outcome.type === "killed" ? `${outcome.file}: ${outcome.test}\n` : "";
  throw new Error(`without any mutant the tests fail:\n${where}${outcome.words.slice(0, TOLD_CHARACTERS)}`);
}

/** A test that loops for ever cannot be stopped from within its thread, so this process ends when one does. */
async function outcomeOf({ number }: Numbered, run: () => Promise<Outcome>): Promise<Outcome> {
  const timer = setTimeout(() => {
    console.error(`${number}: UNDECIDED, the tests did not end within ${LIMIT_MS / 1000} s`);
    process.exit(1);
  }, LIMIT_MS);
  const outcome = await run();
  clearTimeout(timer);
  return outcome;
}

function tell({ number, file, from, to, survives }: Numbered, outcome: Outcome): void {
  const told =
    outcome.type === "killed"
      ? `killed by ${outcome.file}: ${outcome.test}`
      : outcome.type === "survived"
        ? `SURVIVED (${survives ?? "without a reason"})`
        : `DOES NOT LOAD: ${outcome.words}`;
  const change = `${JSON.stringify(from.slice(0, 60))} -> ${JSON.stringify(to.slice(0, 40))}`;
  console.log(`${number} ${file}: ${change}: ${told}`);
}

function merged(all: readonly Killers[string][]): Record<string, string[]> {
  const merged: Record<string, string[]> = {};
  for (const tests of all) for (const [file, names] of Object.entries(tests)) (merged[file] ??= []).push(...names);
  return merged;
}

await main();
