import { expect, onTestFinished, test, vi } from "vitest";
import { Heartbeat, heartbeatMemory, HeartbeatReader, type HeartbeatTask } from "./heartbeat.ts";

/** What is read while a task is written over a longer one: its bytes are there, and its length is not. */
function readWhileWriting(before: HeartbeatTask, task: HeartbeatTask) {
  const memory = heartbeatMemory();
  const heartbeat = new Heartbeat(memory);
  const reader = new HeartbeatReader(memory);
  heartbeat.begin(before);
  const write = Buffer.prototype.write;
  const meanwhile: (HeartbeatTask | undefined)[] = [];
  const spy = vi.spyOn(Buffer.prototype, "write").mockImplementation(function (this: Buffer, ...args: unknown[]) {
    const bytes = Number(Reflect.apply(write, this, args));
    meanwhile.push(reader.task);
    return bytes;
  });
  onTestFinished(() => spy.mockRestore());
  heartbeat.begin(task);
  return { meanwhile, after: reader.task };
}

test("a task that is written at this moment is not read half", () => {
  const { meanwhile, after } = readWhileWriting({ lock: "a lock with a long name" }, { lock: "short" });
  expect(meanwhile).toEqual([undefined]);
  expect(after).toEqual({ lock: "short" });
});

test("a task that is written while another thread reads the one before is not read half", () => {
  const memory = heartbeatMemory();
  const heartbeat = new Heartbeat(memory);
  heartbeat.begin({ lock: "a lock with a long name" });
  const from = Buffer.from.bind(Buffer);
  const spy = vi.spyOn(Buffer, "from").mockImplementation((...given: Parameters<typeof from>) => {
    // The reader has looked at the length, and not yet at the bytes.
    heartbeat.begin({ lock: "short" });
    return from(...given);
  });
  onTestFinished(() => spy.mockRestore());
  expect(new HeartbeatReader(memory).task).toBeUndefined();
});

test("a thread that has said nothing does nothing", () => {
  expect(new HeartbeatReader(heartbeatMemory()).task).toBeUndefined();
});
