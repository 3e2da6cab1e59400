import { readFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { readFaultWords, servedFaults, usageOf } from "../../campaign/serve/fault-words.ts";
import { Service } from "../../campaign/serve/service.ts";
import { topologySchema } from "../../core/topology.ts";
import { greeting } from "./greeting.ts";
import { converse } from "./prompt.ts";

const PROMPT = "lockstorm> ";

test("docs/serve.md shows what a session says", async () => {
  const document = readFileSync(new URL("../../../docs/serve.md", import.meta.url), "utf8");
  const [, session = ""] = /```text\n(.*?)```/s.exec(document) ?? [];
  const topology = topologySchema.parse({ kind: "single" });
  const input = new PassThrough();
  let said = "";
  const onEvent = (line: string): void => void (said += `${line}\n`);
  await using service = await Service.start({ topology, seed: 1, clients: 1, onEvent });
  said += greeting(service, topology, 1);
  const typed = session.split("\n").flatMap((line) => (line.startsWith(PROMPT) ? [line.slice(PROMPT.length)] : []));
  const print = (text: string): void => {
    // A terminal shows what is typed.
    said += text === PROMPT ? `${text}${typed[0] ?? ""}\n` : text;
    if (text === PROMPT) input.write(`${typed.shift() ?? "quit"}\n`);
  };
  await converse(service, topology, input, { print, isTerminal: true }, new AbortController().signal);
  // Free ports in the test, fixed ones in the document.
  for (const [index, [, { port }]] of service.addressesOf("client-0").entries()) {
    said = said.replaceAll(new RegExp(`\\b${port}\\b`, "g"), String(7000 + index));
  }
  expect(said).toBe(session);
});

test("what help says of a fault can be typed", () => {
  for (const kind of ["single", "sentinel", "redlock"] as const) {
    const topology = topologySchema.parse({ kind });
    for (const fault of servedFaults(topology)) {
      const words = usageOf(fault, topology)
        .replace("<names> | <names>", "client-0 | nodes")
        .replace("<names>", "node-0")
        .replaceAll("<n>", "2")
        .replaceAll("true|false", "true");
      expect(readFaultWords(`after 5 ${words} for 10`, topology)).toMatchObject({ fault, afterMs: 5, forMs: 10 });
    }
  }
});

test.each([
  ["kil node-0", "did you mean kill?"],
  ["kill-nodes node-0", "did you mean kill-node?"],
  ["nonsense", "choose one of partition, latency,"],
])("%s: a word that is no fault is answered with the one that is most like it, else with all", (words, hint) => {
  const topology = topologySchema.parse({ kind: "single" });
  const refused = expect.objectContaining({ hint: expect.stringContaining(hint) as string }) as Error;

  expect(() => readFaultWords(words, topology)).toThrow(refused);
});

test.each([
  ["nonsense", 'there is no fault "nonsense" here'],
  ["kill", "nothing says whom kill-node hits"],
  ["partition node-0", "partition hits what goes between two groups of names"],
  ["kill node-9", 'there is no "node-9" here'],
  ["failover", 'there is no fault "failover" here'],
  ["kill node-0 for ever", '"for ever" is no time in milliseconds'],
  ["kill node-0 for", '"for" is no time in milliseconds'],
  ["after", '"after" is no time in milliseconds'],
])("%s is refused in one line", (words, problem) => {
  const topology = topologySchema.parse({ kind: "single" });

  expect(() => readFaultWords(words, topology)).toThrow(problem);
});
