import { beforeEach, expect, test } from "vitest";
import { cleanup } from "../cleanup.ts";
import { CONTENDERS } from "../../../workloads/headline-contenders.ts";
import { measureDebate } from "./measure-debate.ts";
import { measureHeadline } from "./measure-headline.ts";

const signal = AbortSignal.abort();

beforeEach(() => {
  cleanup.isDue = false;
});

test("an interrupted debate is given the time to tell what was not measured", async () => {
  expect((await measureDebate({ only: ["tokens"], seed: 1, runs: 1 }, { signal })).experiments).toEqual([]);
  expect(cleanup.isDue).toBe(true);
});

test("an interrupted headline is given the time to tell what was measured", async () => {
  const options = { contenders: CONTENDERS, guards: ["nothing"], minutes: 1, seed: 1, backend: "simulated" } as const;
  expect((await measureHeadline(options, { signal })).rows).toEqual([]);
  expect(cleanup.isDue).toBe(true);
});
