import { afterEach, expect, test, vi } from "vitest";
import { examine } from "./doctor.ts";
import { connectEngine } from "../engine/engine.ts";
import { describeWithEngine } from "../testing/engine-required.ts";
import { NODE_IMAGE } from "./images.ts";
import { RUN_LABEL, runLabels } from "../cleanup/labels.ts";
import { thisProcess } from "../cleanup/process-identity.ts";
import { sweepRun } from "../cleanup/sweep.ts";

const RUN_ID = `test-doctor-${process.pid}`;

afterEach(() => {
  vi.unstubAllEnvs();
});

describeWithEngine("the doctor", () => {
  test("finds what runs need on a machine where the tests in containers run", async () => {
    const findings = await examine();
    const states = new Map(findings.map(({ name, state, optional }) => [name, optional === true ? "optional" : state]));
    expect(Object.fromEntries(states)).toEqual({
      Node: "ok",
      testcontainers: "ok",
      "container engine": "ok",
      "node image": "ok",
      "Toxiproxy image": "ok",
      "partitions (iptables)": "ok",
      "network emulator (tc netem)": "optional",
      "clients' clocks": "optional",
      leftovers: expect.stringMatching(/^(?:ok|optional)$/),
      disk: "ok",
    });
    // Every finding that is not ok names a remedy, unless lockstorm runs without it.
    for (const { state, hint, optional } of findings)
      expect(state === "ok" || optional || hint !== undefined).toBe(true);
  });

  test("looks without a trace", async () => {
    await examine();
    const engine = await connectEngine();
    const left = await engine.listContainers({ all: true, filters: { label: [`${RUN_LABEL}=probe-${process.pid}`] } });
    expect(left).toEqual([]);
  });

  test("names the dead run that left something", async () => {
    const engine = await connectEngine();
    const Labels = runLabels(RUN_ID, { ...thisProcess(), start: "0" });
    await engine.createContainer({ Image: NODE_IMAGE, Labels });
    try {
      const leftovers = (await examine()).find(({ name }) => name === "leftovers");
      expect(leftovers).toMatchObject({ state: "broken", detail: expect.stringContaining(RUN_ID) });
    } finally {
      await sweepRun(RUN_ID);
    }
  });
});
