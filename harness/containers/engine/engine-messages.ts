import { createInterface } from "node:readline";
import type Dockerode from "dockerode";
import { z } from "zod";
import { HarnessError } from "../../core/errors.ts";

/** One line of the engine's output while it builds, pulls or imports. */
const messageSchema = z.looseObject({
  stream: z.string().optional(),
  status: z.string().optional(),
  error: z.string().optional(),
});

/** Called with an abort signal, begins the work and gives the engine's answer. */
type Begin = (signal: AbortSignal) => Promise<NodeJS.ReadableStream>;

/** How long the engine may be silent, in milliseconds: before its first line, and between two. */
export interface SilenceLimits {
  readonly firstMs: number;
  readonly nextMs: number;
}

/**
 * Follows a long call of the engine to its end, and passes its output to `onLine`, one trimmed line at a time.
 * @throws HarnessError with the engine's own error, after its last lines; or when it is silent for longer than
 * `limits`
 */
export async function followEngine(begin: Begin, limits: SilenceLimits, onLine: (line: string) => void): Promise<void> {
  const giveUp = new AbortController();
  const silent = new HarnessError("the container engine stopped answering");
  let timer = setTimeout(() => giveUp.abort(silent), limits.firstMs);
  let lastLines: readonly string[] = [];
  try {
    const answer = await begin(giveUp.signal);
    // Readline alone does not notice an abort while it waits for a line.
    giveUp.signal.addEventListener("abort", () => destroy(answer, silent), { once: true });
    answer.once("error", () => {});
    for await (const text of createInterface({ input: answer })) {
      clearTimeout(timer);
      timer = setTimeout(() => giveUp.abort(silent), limits.nextMs);
      const message = messageSchema.parse(JSON.parse(text));
      if (message.error !== undefined) throw new HarnessError([message.error, ...lastLines].join("; "));
      const line = stripColours(message.stream ?? message.status ?? "").trim();
      if (line === "") continue;
      lastLines = [...lastLines, line].slice(-3);
      onLine(line);
    }
    giveUp.signal.throwIfAborted();
  } catch (error) {
    giveUp.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Whether the engine has an image of this name. */
export async function hasImage(engine: Dockerode, name: string): Promise<boolean> {
  try {
    await engine.getImage(name).inspect();
    return true;
  } catch (error) {
    if (error instanceof Error && "statusCode" in error && error.statusCode === 404) return false;
    throw error;
  }
}

function destroy(stream: NodeJS.ReadableStream, error: Error): void {
  if ("destroy" in stream && typeof stream.destroy === "function") stream.destroy(error);
}

function stripColours(text: string): string {
  // oxlint-disable-next-line no-control-regex -- colours begin with a control character
  return text.replaceAll(/\u001B\[[0-9;]*m/g, "");
}
