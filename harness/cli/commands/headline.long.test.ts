// @module-tag long
import { expect, test } from "vitest";
import type { MeasuredHeadline } from "../../../reports/debate/measured-headline.ts";
import { runCli } from "../testing/run-cli.ts";

const WORDS = ["headline", "--lock", "single,fenced,redlock", "--minutes", "1", "--seed", "1"];

test("in this minute a lock alone loses updates, fencing tokens or compare and set none, and the numbers repeat", async () => {
  const { code, stdout } = await runCli([...WORDS, "--json"]);
  const measured = JSON.parse(stdout) as MeasuredHeadline;
  expect(code).toBe(0);
  expect(measured).toMatchObject({ backend: "simulated", seed: 1, minutes: 1, ttlMs: 2000, clients: 5 });
  expect(measured.rows.map(({ lock }) => lock)).toEqual(["single", "fenced", "redlock"]);
  const lost = Object.fromEntries(
    measured.rows.map(({ lock, guards }) => [
      lock,
      Object.entries(guards)
        .filter(([, each]) => each.lost > 0)
        .map(([guard]) => guard),
    ]),
  );
  expect(lost).toEqual({ single: ["nothing", "fencing"], fenced: ["nothing"], redlock: ["nothing", "fencing"] });
  for (const { guards } of measured.rows) {
    expect(Object.keys(guards)).toEqual(["nothing", "fencing", "versions"]);
    for (const { acknowledged } of Object.values(guards)) expect(acknowledged).toBeGreaterThan(50);
    expect(guards["versions"]?.refused).toBeGreaterThan(0);
  }
  const text = await runCli(WORDS);
  for (const { lock, guards } of measured.rows) {
    const { lost: some = 0, acknowledged = 0 } = guards["nothing"] ?? {};
    expect(text.stdout).toMatch(new RegExp(`^  ${lock} .* \\(${some} of ${acknowledged}\\)`, "m"));
  }
});

test.each([
  [["--lock", "setnx"], '--lock does not know "setnx"; choose from single, '],
  [["--resource", "hope"], '--resource does not know "hope"; choose from nothing, fencing, versions'],
])("%j is refused", async (words, line) => {
  const { code, stderr } = await runCli(["headline", ...words]);
  expect(stderr).toContain(line);
  expect(code).toBe(254);
});
