import { UserError } from "../../core/errors.ts";
import type { Backend } from "../../core/topologies/backend.ts";
import type { CompleteEnvironment, Progress } from "../run-environment.ts";

/**
 * How many plans a campaign runs at a time: in simulation one, on containers each on servers of its own.
 * @param threads the number that was asked for
 * @throws UserError when it cannot be had
 */
export async function plansAtATime(
  backend: Backend,
  threads: number | undefined,
  { proxyPort }: Pick<CompleteEnvironment, "proxyPort">,
): Promise<number> {
  if (backend === "simulated") return 1;
  if (proxyPort === 0) return threads ?? (await import("../../containers/systems-at-a-time.ts")).systemsAtATime();
  if (threads === undefined || threads === 1) return 1;
  throw new UserError(
    `several systems cannot have their Toxiproxy at port ${proxyPort}`,
    "leave out --proxy-port, or give --threads 1",
  );
}

/** Progress for the runs of a campaign: the steps of several runs at a time would only get in each other's way. */
export function progressOfRuns(progress: Progress, parallel: number): Progress {
  return parallel === 1 ? progress : { step: () => {}, note: (line) => progress.note(line) };
}
