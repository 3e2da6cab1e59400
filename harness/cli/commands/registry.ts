import type { Command } from "../command.ts";

/**
 * All commands by name, in the order of the help. Parsing, help, completion and `docs/cli.md` come from this table. Each is imported
 * when it is asked for: together they import most of the program.
 */
const LOADERS: Readonly<Record<string, () => Promise<Command>>> = {
  hunt: async () => (await import("./hunt.ts")).hunt,
  explore: async () => (await import("./explore.ts")).explore,
  conform: async () => (await import("./conform.ts")).conform,
  merge: async () => (await import("./merge.ts")).merge,
  reproduce: async () => (await import("./reproduce.ts")).reproduce,
  debate: async () => (await import("./debate.ts")).debate,
  headline: async () => (await import("./headline.ts")).headline,
  replay: async () => (await import("./replay.ts")).replay,
  serve: async () => (await import("./serve.ts")).serve,
  check: async () => (await import("./check.ts")).check,
  report: async () => (await import("./report.ts")).report,
  runs: async () => (await import("./runs.ts")).runs,
  open: async () => (await import("./open.ts")).open,
  explain: async () => (await import("./explain.ts")).explain,
  advise: async () => (await import("./advise.ts")).advise,
  init: async () => (await import("./init.ts")).init,
  doctor: async () => (await import("./doctor.ts")).doctor,
  setup: async () => (await import("./setup.ts")).setup,
  completion: async () => (await import("./completion.ts")).completion,
};

/** All commands, in the order of the help. */
export async function allCommands(): Promise<readonly Command[]> {
  return Promise.all(Object.values(LOADERS).map(async (load) => load()));
}

/** The command of this name, without the others. Undefined if there is none. */
export async function commandNamed(name: string): Promise<Command | undefined> {
  return Object.hasOwn(LOADERS, name) ? LOADERS[name]?.() : undefined;
}
