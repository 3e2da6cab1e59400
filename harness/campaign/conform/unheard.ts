import { clientName } from "../../core/topology.ts";
import { type Answer, isGranted, type Trial } from "./trial.ts";
import { INDETERMINATE } from "./answers-in-words.ts";

/** Time for a request to arrive, and for its reply to be lost. Shorter than the time-outs of clients. */
const ARRIVAL_MS = 50;
/** Time for the driver to take its request back. */
const UNDOING_MS = 2000;
/** The lease of a client that tries whether the lock is free. */
const TRIED_MS = 1000;

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

/** What an operation of client-0 answers if its connections break before the servers hear it. */
export async function beforeTheRequest<A extends Answer>(trial: Trial, perform: () => Promise<A>): Promise<A> {
  const { network } = trial.system;
  const nodes = await trial.masters();
  for (const to of nodes) await network.cut({ from: clientName(0), to });
  const answer = perform();
  await trial.sleep(ARRIVAL_MS);
  for (const to of nodes) await network.reset({ from: clientName(0), to });
  for (const to of nodes) await network.heal({ from: clientName(0), to });
  return answer;
}

/**
 * It is a mistake to say so of a request of client-0 that was applied, and that its driver has not taken back.
 * @param instead what to answer
 */
export async function mistakenIfHeld(trial: Trial, said: string, instead = INDETERMINATE): Promise<void> {
  if (await isStillHeld(trial)) trial.mistake(`${said}, and the servers hold its lock: answer ${instead}`);
}

/** Whether the servers hold the lock of client-0 when its driver has had the time to give it back. */
export async function isStillHeld(trial: Trial): Promise<boolean> {
  await trial.sleep(UNDOING_MS);
  if (!(await trial.isHeld())) return false;
  // Keys with an expiry may be something else than this lock: what somebody else is granted is free.
  return !isGranted((await trial.acquire(1, { ttlMs: TRIED_MS })).reply);
}

/** Says so where the driver has not answered at all. */
export function remarkSilence(trial: Trial, reason: string, operation: string): void {
  if (!reason.startsWith("no answer from the driver")) return;
  trial.remark(`${reason} to an ${operation} whose reply is lost: set a shorter time-out for commands`);
}

async function cutReplies(trial: Trial): Promise<readonly string[]> {
  const nodes = await trial.masters();
  for (const from of nodes) await trial.system.network.cut({ from, to: clientName(0) });
  return nodes;
}
