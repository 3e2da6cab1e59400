import { clientName } from "../../core/topology.ts";
import type { Answer, Trial } from "./trial.ts";

/** Time for a request to arrive, and for its reply to be lost. Shorter than the time-outs of clients. */
const ARRIVAL_MS = 50;

/** What an operation of client-0 answers if the servers hear it, and it does not hear them. */
export async function withoutReply<A extends Answer>(trial: Trial, perform: () => Promise<A>): Promise<A> {
  await cutReplies(trial);
  return perform();
}

/** What an operation of client-0 answers if the servers hear it, and its connections break before it hears them. */
export async function beforeTheReply<A extends Answer>(trial: Trial, perform: () => Promise<A>): Promise<A> {
  const { network } = trial.system;
  const nodes = await cutReplies(trial);
  const answer = perform();
  await trial.sleep(ARRIVAL_MS);
  for (const node of nodes) await network.reset({ from: clientName(0), to: node });
  for (const from of nodes) await network.heal({ from, to: clientName(0) });
  return answer;
}

async function cutReplies(trial: Trial): Promise<readonly string[]> {
  const nodes = await trial.masters();
  for (const from of nodes) await trial.system.network.cut({ from, to: clientName(0) });
  return nodes;
}
