import type { Trial } from "./trial.ts";

/**
 * How many commands the first server carries out in that time.
 * @returns with the server's name; undefined if there is none
 */
export async function commandsSent(
  trial: Trial,
  forMs: number,
): Promise<{ readonly node: string; readonly commands: number } | undefined> {
  const [node] = await trial.masters();
  if (node === undefined) return undefined;
  const before = await commandsOf(trial, node);
  await trial.sleep(forMs);
  return { node, commands: (await commandsOf(trial, node)) - before };
}

async function commandsOf(trial: Trial, node: string): Promise<number> {
  const [, count] = /total_commands_processed:(\d+)/.exec(String(await trial.command(node, "INFO", "stats"))) ?? [];
  return Number(count);
}
