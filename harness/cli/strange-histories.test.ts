/** Histories by other programs: odd but right ones get their verdict, wrong ones one line; none is accused without proof. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runMain } from "./testing/run-main.ts";

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), "lockstorm-strange-"))));
afterAll(() => rmSync(folder, { recursive: true }));

const OWNER = "é\u202e𝔘\u001b[31m";
const HEADER = `{"format":"lockstorm-history","version":2,"clients":2}`;
const END = (index: number): string =>
  `{"index":${index},"time":9000000,"process":"harness","type":"end","value":{"run":"completed","at":9000000}}`;

/** One acquisition by client 0, all at once; `grant` is added to what it was told. */
const turn = (grant = ""): readonly string[] => [
  `{"index":0,"time":0,"process":0,"type":"invoke","f":"acquire","key":"__proto__","value":{"ttlMs":1000}}`,
  `{"index":1,"time":0,"process":0,"type":"ok","f":"acquire","key":"__proto__","value":{"owner":${JSON.stringify(OWNER)}${grant}}}`,
  `{"index":2,"time":0,"process":0,"type":"invoke","f":"release","key":"__proto__","value":{"owner":${JSON.stringify(OWNER)}}}`,
  `{"index":3,"time":0,"process":0,"type":"ok","f":"release","key":"__proto__","value":{"released":true},"more":[{}]}`,
];
const whole = (...lines: readonly string[]): readonly string[] => [HEADER, ...lines, END(lines.length)];
const fault = `{"index":4,"time":0,"process":"nemesis","type":"fault","f":"solar-flare","value":{"phase":"start","targets":["sun"],"outcome":"installed"}}`;

it.each([
  ["equal times, an odd key, a foreign owner, unknown fields", 0, whole(...turn()).join("\n")],
  ["a byte order mark and Windows' line ends", 0, `\uFEFF${whole(...turn()).join("\r\n")}\r\n`],
  ["blank lines", 0, whole(...turn()).join("\n\n  \n")],
  ["a fault of another name", 0, whole(...turn(), fault).join("\n")],
  ["no end marker", 2, [HEADER, ...turn()].join("\n")],
  ["a torn last line", 2, [HEADER, ...turn().slice(0, 3), `{"index":3,"ti`].join("\n")],
  ["a fencing token beyond 2^53", 254, whole(...turn(`,"fence":9007199254740993`)).join("\n")],
  ["a fencing token in quotes", 254, whole(...turn(`,"fence":"7"`)).join("\n")],
  ["an event of unknown type", 254, [HEADER, turn()[0]!.replace("invoke", "teleport"), ...turn()].join("\n")],
  ["deep nesting", 254, `${HEADER}\n${"[".repeat(100_000)}\n${END(0)}`],
])("%s: exit code %i", { tags: "long" }, async (name, code, text) => {
  const file = join(folder, `${name.replaceAll(" ", "-").replaceAll(/\W/g, "")}.jsonl`);
  writeFileSync(file, text);
  const result = await runMain(["check", file]);
  expect([result.code, result.stderr]).toEqual([
    code,
    code === 254 ? expect.stringMatching(/^lockstorm: [^\n]+\n$/) : "",
  ]);
  expect(result.stdout).not.toContain("✗");
  expect(result.stdout + result.stderr).not.toContain("\u001b[31m");
});
