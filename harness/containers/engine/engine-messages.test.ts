import { PassThrough, Readable } from "node:stream";
import { expect, test } from "vitest";
import { HarnessError } from "../../core/errors.ts";
import { followEngine } from "./engine-messages.ts";

const PATIENT = { firstMs: 10_000, nextMs: 10_000 };

async function follow(...messages: readonly object[]): Promise<readonly string[]> {
  const lines: string[] = [];
  const answer = Readable.from([messages.map((message) => `${JSON.stringify(message)}\r\n`).join("")]);
  await followEngine(
    () => Promise.resolve(answer),
    PATIENT,
    (line) => lines.push(line),
  );
  return lines;
}

test("what the engine says arrives line by line, without colours and blank lines", async () => {
  const messages = [
    { stream: "\u001B[91mwarning\u001B[0m\n" },
    { stream: "\n" },
    { status: "Pulling", id: "x", progressDetail: {} },
    { aux: { ID: "sha256:1" } },
  ];
  expect(await follow(...messages)).toEqual(["warning", "Pulling"]);
});

test("the engine's error is an error, with what it said before", async () => {
  const failing = follow({ stream: "no such host" }, { error: "exit code 1", errorDetail: {} }, { stream: "unread" });
  await expect(failing).rejects.toThrow(HarnessError);
  await expect(failing).rejects.toThrow("exit code 1; no such host");
});

test("an engine that never begins to answer is given up", async () => {
  const begin = (signal: AbortSignal): Promise<NodeJS.ReadableStream> =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
  await expect(followEngine(begin, { firstMs: 20, nextMs: 10_000 }, () => {})).rejects.toThrow("stopped answering");
});

test("an engine that falls silent between two words is given up, and its answer closed", async () => {
  const answer = new PassThrough();
  answer.write('{"status":"Pulling"}\n');
  const following = followEngine(
    () => Promise.resolve(answer),
    { firstMs: 10_000, nextMs: 20 },
    () => {},
  );
  await expect(following).rejects.toThrow("stopped answering");
  expect(answer.destroyed).toBe(true);
});

test("an error of the call itself is passed on", async () => {
  const begin = (): Promise<NodeJS.ReadableStream> => Promise.reject(new Error("no such image"));
  await expect(followEngine(begin, PATIENT, () => {})).rejects.toThrow("no such image");
});
