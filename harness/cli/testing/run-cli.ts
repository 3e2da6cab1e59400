import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../launch.js", import.meta.url));

export interface CliOptions {
  /** The content of standard input. Default: empty. */
  readonly input?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface CliResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The program as a separate process, so that it can receive signals while it runs. */
export interface RunningCli {
  readonly child: ChildProcess;
  readonly result: Promise<CliResult>;
  /** Resolves when standard error contains `text`. Rejects when the program ends first. */
  readonly says: (text: string) => Promise<void>;
}

/** Starts the real program with these words. */
export function startCli(words: readonly string[], { input, cwd, env }: CliOptions = {}): RunningCli {
  const child = spawn(process.execPath, [program, ...words], {
    stdio: ["pipe", "pipe", "pipe"],
    cwd,
    env: { ...process.env, NO_COLOR: "1", ...env },
  });
  child.stdin.on("error", () => {});
  child.stdin.end(input ?? "");
  let heard = "";
  child.stderr.setEncoding("utf8").on("data", (words: string) => (heard += words));
  const result = (async (): Promise<CliResult> => {
    const closed = once(child, "close");
    const stdout = await text(child.stdout);
    const [code, signal] = (await closed) as [number | null, NodeJS.Signals | null];
    return { code, signal, stdout, stderr: heard };
  })();
  return {
    child,
    result,
    says: (words) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (heard.includes(words)) resolve();
        };
        look();
        child.stderr.on("data", look);
        child.once("close", () => reject(new Error(`it ended without saying "${words}", but: ${heard}`)));
      }),
  };
}

/** Runs the real program with these words to its end. */
export function runCli(words: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  return startCli(words, options).result;
}
