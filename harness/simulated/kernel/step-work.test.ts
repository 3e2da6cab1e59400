import { expect, test } from "vitest";
import { StepWork } from "./step-work.ts";

function drain(work: StepWork): void {
  for (let task = work.next(); task !== undefined; task = work.next()) task.run();
}

test("pending completions, then immediates, then closed handles in reverse; what comes up waits for the next round", () => {
  const work = new StepWork();
  const order: string[] = [];
  work.addClosing(() => order.push("close 1"));
  work.addClosing(() => {
    order.push("close 2");
    work.addPending(() => order.push("pending from close"));
  });
  work.addImmediate(() => {
    order.push("immediate 1");
    work.addImmediate(() => order.push("immediate from immediate"));
    work.addPending(() => order.push("pending from immediate"));
    work.addClosing(() => order.push("close from immediate"));
  });
  work.addImmediate(() => order.push("immediate 2"));
  work.addPending(() => order.push("pending"));
  drain(work);
  expect(order).toEqual([
    "pending",
    "immediate 1",
    "immediate 2",
    "close from immediate",
    "close 2",
    "close 1",
    "pending from immediate",
    "pending from close",
    "immediate from immediate",
  ]);
});

test("a cancelled task does not run, even when its phase has begun", () => {
  const work = new StepWork();
  const order: string[] = [];
  work.addImmediate(() => {
    order.push("first");
    second.cancelled = true;
  });
  const second = work.addImmediate(() => order.push("second"));
  drain(work);
  expect(order).toEqual(["first"]);
});

test("clearing drops everything, and the next round begins again", () => {
  const work = new StepWork();
  const order: string[] = [];
  work.addImmediate(() => order.push("dropped"));
  work.addImmediate(() => order.push("dropped"));
  work.next()?.run();
  work.clear();
  work.addImmediate(() => order.push("kept"));
  work.addPending(() => order.push("pending"));
  drain(work);
  expect(order).toEqual(["dropped", "pending", "kept"]);
});
