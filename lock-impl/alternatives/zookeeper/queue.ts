import type { Completion } from "../../../harness/core/lock-driver.ts";
import type { Reply } from "./connection.ts";
import {
  createContainer,
  type CreatedZnode,
  createEphemeralSequential,
  deleteZnode,
  getChildren,
  getData,
  NO_NODE,
  NODE_EXISTS,
} from "./requests.ts";
import type { Session } from "./session.ts";

/** The parent znode of the queues of all keys. */
const ROOT = "/locks";

/** The znode whose children queue for a key. Characters that a path cannot contain are escaped. */
export function queueOf(key: string): string {
  return `${ROOT}/${encodeURIComponent(key).replaceAll(".", "%2E")}`;
}

/**
 * Joins the queue: creates a znode that lasts as long as the session, behind all existing ones. Its name begins with
 * `guid`, which identifies the znode when the reply to its creation was lost (ZooKeeper Recipes, "Recoverable Errors
 * and the GUID"; Curator's `withProtection`). Tries until `signal` aborts or the session ends.
 */
export async function enqueue(
  session: Session,
  queue: string,
  guid: string,
  signal: AbortSignal,
): Promise<Completion<CreatedZnode>> {
  let mayExist = false;
  do {
    const reply: Reply<CreatedZnode | undefined> = mayExist
      ? await findOwn(session, queue, guid)
      : await session.request(createEphemeralSequential(`${queue}/${guid}-lock-`));
    if (reply.type === "done" && reply.value !== undefined) return { type: "ok", value: reply.value };
    const code = reply.type === "refused" ? await orCreateQueue(session, queue, reply.code) : undefined;
    if (code !== undefined) return { type: "fail", kind: "error", reason: `ZooKeeper answered with error ${code}` };
    // The server ends a session's old connection before it continues the session on a new one: a znode that is not
    // found then will not appear later.
    if (reply.type !== "unsent") mayExist = reply.type === "unknown";
  } while (await session.connected(signal));
  if (!mayExist) return { type: "fail", kind: "error", reason: "no connection to ZooKeeper, nothing was sent" };
  void removeOwn(session, queue, guid);
  return { type: "info", reason: "the connection was lost while the znode was being created" };
}

/**
 * Waits until the znode is the first of its queue, by watching only the one before it. `behind`: it is not first, and
 * `budget` has been aborted; `gone`: it no longer exists; `unknown`: the server cannot be asked.
 */
export async function awaitTurn(
  session: Session,
  queue: string,
  { path }: CreatedZnode,
  budget: AbortSignal,
): Promise<"first" | "behind" | "gone" | "unknown"> {
  for (;;) {
    const reply = await session.request(getChildren(queue));
    if (reply.type === "refused") return "gone";
    if (reply.type === "done") {
      const names = inOrder(reply.value);
      const place = names.indexOf(nameOf(path));
      if (place === -1) return "gone";
      const before = names[place - 1];
      if (before === undefined) return "first";
      if (budget.aborted) return "behind";
      await change(session, `${queue}/${before}`, budget);
    } else if (!(await session.connected(budget))) return "unknown";
  }
}

/**
 * Leaves the queue, or gives up the lock. `unknown`: the znode goes as soon as the server can be asked, or with the
 * session.
 */
export async function leave(
  session: Session,
  queue: string,
  { path }: Pick<CreatedZnode, "path">,
): Promise<Reply<undefined>> {
  const reply = await session.request(deleteZnode(path));
  if (reply.type === "unsent" || reply.type === "unknown") void removeOwn(session, queue, nameOf(path));
  return reply;
}

/** The children of a queue, first come first. A number that has grown beyond 32 bits wraps to the lowest one. */
export function inOrder(names: readonly string[]): readonly string[] {
  return [...names].sort((a, b) => (sequenceOf(a) - sequenceOf(b)) | 0);
}

/** The last part of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function sequenceOf(name: string): number {
  return Number(/-lock-(-?\d+)$/.exec(name)?.[1] ?? 0);
}

/**
 * Creates the znode of a queue and its parent, if the error says that they are missing. Returns the code of any other
 * error.
 */
async function orCreateQueue(session: Session, queue: string, code: number): Promise<number | undefined> {
  if (code !== NO_NODE) return code;
  for (const path of [ROOT, queue]) {
    const reply = await session.request(createContainer(path));
    if (reply.type === "refused" && reply.code !== NODE_EXISTS) return reply.code;
  }
  return undefined;
}

/** The znode in the queue whose name begins with this GUID. */
async function findOwn(session: Session, queue: string, start: string): Promise<Reply<CreatedZnode | undefined>> {
  const children = await session.request(getChildren(queue));
  if (children.type !== "done") return children;
  const own = children.value.find((name) => name.startsWith(start));
  return own === undefined
    ? { type: "done", value: undefined }
    : session.request(getData(`${queue}/${own}`, { watch: false }));
}

/**
 * Removes the session's znodes whose names begin with this from a queue, as soon as it can; the end of the session
 * removes them in any case.
 */
async function removeOwn(session: Session, queue: string, start: string): Promise<void> {
  while (await session.connected()) {
    const own = await findOwn(session, queue, start);
    if (own.type === "refused" || (own.type === "done" && own.value === undefined)) return;
    if (own.type === "done" && own.value !== undefined) await session.request(deleteZnode(own.value.path));
  }
}

/** Resolves when a znode has changed or is gone, when the connection is lost, or when the signal aborts. */
async function change(session: Session, path: string, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const wake = (): void => resolve();
  const forget = session.onEvent(path, wake);
  signal.addEventListener("abort", wake);
  const reply = await session.request(getData(path, { watch: true }));
  if (reply.type === "done") await promise;
  signal.removeEventListener("abort", wake);
  forget();
}
