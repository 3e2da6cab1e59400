import type { Session } from "node:inspector";
import { fileURLToPath } from "node:url";
import { isMainThread } from "node:worker_threads";

const PROJECT = new URL("../../../", import.meta.url).href;
/** A loop through Node's own code shows a line of the lock's only now and then. */
const LOOKS = 30;
const PATIENCE_MS = 3000;

interface Frame {
  readonly location: { readonly scriptId: string; readonly lineNumber: number };
}
interface Message {
  readonly method?: string;
  readonly params?: { readonly callFrames?: readonly Frame[]; readonly scriptId?: string; readonly url?: string };
}
interface Place {
  readonly url: string;
  readonly line: number;
}

/**
 * Where another thread of this process computes, as `file:line`; undefined when it cannot be seen. The thread is stopped
 * for moments, and goes on.
 * @param threadId Node's number of the thread; 0 is the main thread
 */
export async function loopingPlace(threadId: number): Promise<string | undefined> {
  const session = await openSession();
  if (session === undefined) return undefined;
  const over = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => over.resolve(undefined), PATIENCE_MS);
  try {
    return await Promise.race([over.promise, threadId === 0 ? inMainThread(session) : inWorker(session, threadId)]);
  } finally {
    clearTimeout(timer);
    session.disconnect();
  }
}

/** A session with the main thread, which knows all others; undefined in a Node without an inspector. */
async function openSession(): Promise<Session | undefined> {
  try {
    const { Session } = await import("node:inspector");
    const session = new Session();
    if (isMainThread) session.connect();
    else session.connectToMainThread();
    return session;
  } catch {
    return undefined;
  }
}

function inMainThread(session: Session): Promise<string | undefined> {
  return look(
    (method) => session.post(method),
    (listener) => session.on("inspectorNotification", (message) => listener(message)),
  );
}

async function inWorker(session: Session, threadId: number): Promise<string | undefined> {
  const attached = Promise.withResolvers<string>();
  session.on("NodeWorker.attachedToWorker", ({ params: { sessionId, workerInfo } }) => {
    // `[worker 3] name`
    if (Number(/\d+/.exec(workerInfo.title)?.[0]) === threadId) attached.resolve(sessionId);
  });
  session.post("NodeWorker.enable", { waitForDebuggerOnStart: false });
  const sessionId = await attached.promise;
  let id = 0;
  return look(
    (method) => {
      id += 1;
      session.post("NodeWorker.sendMessageToWorker", { sessionId, message: JSON.stringify({ id, method }) });
    },
    (listener) =>
      session.on("NodeWorker.receivedMessageFromWorker", ({ params }) => {
        if (params.sessionId === sessionId) listener(JSON.parse(params.message) as Message);
      }),
  );
}

/** Stops the thread until a line of the lock's shows, or it was stopped often enough. */
function look(
  post: (method: string) => void,
  listen: (listener: (message: Message) => void) => void,
): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const urls = new Map<string, string>();
  let library: string | undefined;
  let looks = 0;
  listen(({ method, params }) => {
    const { callFrames = [], scriptId, url } = params ?? {};
    // The frames of a module that Node's vm has compiled do not say its URL.
    if (method === "Debugger.scriptParsed" && scriptId !== undefined && url !== undefined) urls.set(scriptId, url);
    if (method !== "Debugger.paused") return;
    looks += 1;
    const places = callFrames
      .map(({ location }) => ({ url: urls.get(location.scriptId) ?? "", line: location.lineNumber + 1 }))
      .filter(isForeign);
    const own = places.find(({ url }) => !url.includes("/node_modules/"));
    library ??= places[0] && placeWords(places[0]);
    post("Debugger.resume");
    if (own === undefined && looks < LOOKS) post("Debugger.pause");
    else {
      post("Debugger.disable");
      resolve(own === undefined ? library : placeWords(own));
    }
  });
  post("Debugger.enable");
  post("Debugger.pause");
  return promise;
}

function isForeign({ url }: Place): boolean {
  if (url === "" || url.startsWith("node:")) return false;
  return !url.startsWith(PROJECT) || url.slice(PROJECT.length).includes("node_modules/");
}

function placeWords({ url, line }: Place): string {
  return `${url.startsWith("file:") ? fileURLToPath(url) : url}:${line}`;
}
