import "./install.ts";
import diagnosticsChannel from "node:diagnostics_channel";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { Kernel } from "../kernel/kernel.ts";

test("a channel carries what is published in its own process only", async () => {
  const kernel = new Kernel({ seed: 1 });
  const heard: unknown[] = [];
  const outside = (message: unknown, name: unknown): unknown => heard.push(["outside", name, message]);
  diagnosticsChannel.subscribe("commands", outside);
  const program = (client: string) => async () => {
    const listener = (message: unknown, name: unknown): unknown => heard.push([client, name, message]);
    diagnosticsChannel.subscribe("commands", listener);
    await sleep(1);
    expect(diagnosticsChannel.hasSubscribers("commands")).toBe(true);
    expect(diagnosticsChannel.channel("commands")).toBe(diagnosticsChannel.channel("commands"));
    diagnosticsChannel.channel("commands").publish(`of ${client}`);
    expect(diagnosticsChannel.unsubscribe("commands", listener)).toBe(true);
    expect(diagnosticsChannel.hasSubscribers("commands")).toBe(false);
  };
  const tasks = ["client-0", "client-1"].map((name) => kernel.host(name).spawn("main", program(name)));
  await kernel.run();
  expect(tasks.map(({ state }) => state)).toEqual(["done", "done"]);
  expect(heard).toEqual([
    ["client-0", "commands", "of client-0"],
    ["client-1", "commands", "of client-1"],
  ]);
  diagnosticsChannel.channel("commands").publish("of this process");
  expect(heard.at(-1)).toEqual(["outside", "commands", "of this process"]);
  expect(diagnosticsChannel.unsubscribe("commands", outside)).toBe(true);
});

test("a process that is started again hears nothing of what its former life subscribed to", async () => {
  const kernel = new Kernel({ seed: 1 });
  const host = kernel.host("client-0");
  host.spawn("main", () => diagnosticsChannel.subscribe("commands", () => {}));
  await kernel.run();
  host.kill();
  host.start();
  let listened: unknown;
  host.spawn("main", () => (listened = diagnosticsChannel.hasSubscribers("commands")));
  await kernel.run();
  expect(listened).toBe(false);
});

test("a traced promise tells each stage to the listeners of its process, once", async () => {
  const kernel = new Kernel({ seed: 1 });
  const stages: string[] = [];
  const program = (client: string) => async () => {
    const traced = diagnosticsChannel.tracingChannel("command");
    const tell = (stage: string) => () => void stages.push(`${client} ${stage}`);
    traced.subscribe({
      start: tell("start"),
      end: tell("end"),
      asyncStart: tell("asyncStart"),
      asyncEnd: tell("asyncEnd"),
      error: tell("error"),
    });
    await sleep(client === "client-0" ? 1 : 100);
    await traced.tracePromise(() => sleep(1));
  };
  for (const name of ["client-0", "client-1"]) kernel.host(name).spawn("main", program(name));
  await kernel.run();
  const each = ["start", "end", "asyncStart", "asyncEnd"];
  expect(stages).toEqual(["client-0", "client-1"].flatMap((name) => each.map((stage) => `${name} ${stage}`)));
});
