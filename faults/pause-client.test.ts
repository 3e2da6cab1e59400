import { expect, test } from "vitest";
import { UserError } from "../harness/core/errors.ts";
import { FakeSystem } from "../harness/run/testing/fake-system.ts";
import { heal, inject } from "./testing/inject.ts";

const atResource = { targets: ["client-1"], atSend: { to: ["resource"], count: 2 } };

test("stops a client that is about to send, where the backend can", async () => {
  const system = new FakeSystem();
  const injected = await inject(system, "pause-client", atResource);
  expect(system.actions).toEqual(["client-1 pauseAtSend resource 2"]);
  expect(injected).toMatchObject({ targets: ["client-1"], outcome: "installed" });
});

test("names the servers that a role stands for, and counts to one", async () => {
  const system = new FakeSystem({ topology: "sentinel" });
  await inject(system, "pause-client", { targets: ["client-0"], atSend: { to: ["nodes", "sentinel-1"] } });
  expect(system.actions).toEqual(["client-0 pauseAtSend node-0,node-1,node-2,sentinel-1 1"]);
});

test("stops it at once where the backend cannot see what it sends", async () => {
  const system = new FakeSystem();
  Object.assign(system.client(1), { pauseAtSend: undefined });
  const injected = await inject(system, "pause-client", atResource);
  expect(system.actions).toEqual(["client-1 pause"]);
  expect((await heal(system, injected)).outcome).toBe("installed");
  expect(system.actions).toEqual(["client-1 pause", "client-1 resume"]);
});

test("lets it go on when it has stopped", async () => {
  const system = new FakeSystem();
  const injected = await inject(system, "pause-client", atResource);
  await system.client(1).send();
  expect(await system.client(1).state()).toBe("paused");
  expect((await heal(system, injected)).outcome).toBe("installed");
  expect(await system.client(1).state()).toBe("running");
});

test("is indeterminate in the end when the client never came to send", async () => {
  const system = new FakeSystem();
  const injected = await inject(system, "pause-client", atResource);
  expect(await heal(system, injected)).toEqual({ outcome: "indeterminate", evidence: "client-1 did not come to send" });
});

test.each([0, -1, 1.5, 2000])("refuses to count to %d", async (count) => {
  const params = { targets: ["client-0"], atSend: { to: ["resource"], count } };
  await expect(inject(new FakeSystem(), "pause-client", params)).rejects.toThrow(UserError);
});
