/** Shared by the checks of the package: running programs, and reporting each step. */
import { spawn, type SpawnOptions } from "node:child_process";
import { once } from "node:events";

export interface ProgramOutcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end, and reports success and failure alike. */
export async function run(program: string, words: readonly string[], options: SpawnOptions): Promise<ProgramOutcome> {
  const child = spawn(program, [...words], { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}

/**
 * Runs a program that must end with `code`, and returns its output.
 * @throws with all its output when it does not
 */
export async function expectCode(
  code: number,
  program: string,
  words: readonly string[],
  options: SpawnOptions,
): Promise<ProgramOutcome> {
  const outcome = await run(program, words, options);
  if (outcome.code === code) return outcome;
  const command = [program, ...words].join(" ");
  throw new Error(`${command} ended with ${outcome.code}, not ${code}:\n${outcome.stdout}${outcome.stderr}`);
}

/** Reports a step and how long it took. */
export async function step<T>(what: string, work: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  try {
    const result = await work();
    console.log(`ok    ${what} (${((performance.now() - begun) / 1000).toFixed(1)} s)`);
    return result;
  } catch (error) {
    console.log(`FAIL  ${what}`);
    throw error;
  }
}
