import { randomUUID } from "node:crypto";
import type { WorkerLock } from "../../lock-impl/worker-lock.ts";
import { clientMark, killMarked } from "../containers/cleanup/marked-processes.ts";
import type { Capabilities } from "./capabilities.ts";
import { PROTOCOL_VERSION } from "./protocol.ts";
import { WorkerSession } from "./worker-session.ts";

/**
 * Asks a worker what its lock can do: starts it, without servers, and ends it with all that it started. What its file states
 * counts too.
 * @throws UserError when it cannot be started or does not say, or contradicts its file
 */
export async function describeWorker({ name, command, supports }: WorkerLock): Promise<Capabilities> {
  const first = { protocol: PROTOCOL_VERSION, describe: true } as const;
  const id = `described-${randomUUID()}`;
  const marked = { ...command, environment: { ...command.environment, ...clientMark(id, name) } };
  try {
    await using session = await WorkerSession.open({
      command: marked,
      name,
      first,
      supports,
      log: () => {},
      ownGroup: true,
    });
    return session.capabilities;
  } finally {
    // What has left its process group lives on.
    killMarked(id);
  }
}
