/**
 * Turns at the engine. Engines of version 20.10 can deadlock when containers end in the same instant (moby#46661), and
 * several systems, harnesses and watchdogs use one engine.
 */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { SerialQueue } from "../../core/serial-queue.ts";
import { codeOf } from "../../core/system-reason.ts";

/** An abstract socket: the kernel lets one process listen, and takes it back when that process ends, however it ends. */
const ADDRESS = "\0lockstorm-engine-ends-a-container";
/** A process that holds the turn longer than this is stopped, or hangs: the others no longer wait for it. */
const LONGEST_TURN_MS = 20_000;

const changes = new SerialQueue();
const endings = new SerialQueue();

/** Creates or removes the containers of a system: one system of this process after another. */
export function changeSystem<T>(action: () => Promise<T>): Promise<T> {
  return changes.run(action);
}

/** Ends or removes one container: one after another among all lockstorms on this machine. */
export function endContainer<T>(action: () => Promise<T>): Promise<T> {
  return endings.run(async () => {
    await using _turn = await takeTurn();
    return await action();
  });
}

/** Waits for the turn. Undefined when it cannot be had: the action goes ahead nevertheless. */
async function takeTurn(): Promise<AsyncDisposable | undefined> {
  if (process.platform !== "linux") return undefined;
  const deadline = AbortSignal.timeout(LONGEST_TURN_MS);
  while (!deadline.aborted) {
    try {
      return await listen();
    } catch (error) {
      if (codeOf(error) !== "EADDRINUSE") return undefined;
      await untilFree(deadline);
    }
  }
  return undefined;
}

/** @throws EADDRINUSE when another process has the turn */
async function listen(): Promise<AsyncDisposable> {
  const waiting = new Set<Socket>();
  const server = createServer((socket) => {
    waiting.add(socket.on("error", () => {}));
  });
  server.listen(ADDRESS);
  await once(server, "listening");
  return {
    [Symbol.asyncDispose]: async () => {
      server.close();
      for (const socket of waiting) socket.destroy();
      await once(server, "close");
    },
  };
}

/** Resolves when the process that listens now stops listening, or the deadline is over. */
async function untilFree(deadline: AbortSignal): Promise<void> {
  const socket = connect(ADDRESS);
  const giveUp = (): void => void socket.destroy();
  deadline.addEventListener("abort", giveUp, { once: true });
  await new Promise((resolve) => socket.on("error", () => {}).once("close", resolve));
  deadline.removeEventListener("abort", giveUp);
}
