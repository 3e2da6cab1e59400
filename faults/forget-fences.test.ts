import { expect, test } from "vitest";
import { FakeSystem } from "../harness/run/testing/fake-system.ts";
import { inject } from "./testing/inject.ts";

test("is seen when the resource had something to forget", async () => {
  const system = new FakeSystem();
  expect(await inject(system, "forget-fences", {})).toMatchObject({ outcome: "installed", targets: ["resource"] });
  expect(system.actions).toEqual(["resource forget"]);
});

test("is not seen when nothing was forgotten", async () => {
  const system = new FakeSystem();
  system.observed = () => false;
  expect(await inject(system, "forget-fences", {})).toMatchObject({ outcome: "indeterminate" });
});
