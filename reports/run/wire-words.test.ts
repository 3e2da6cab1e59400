import { expect, test } from "vitest";
import type { WireRecord } from "../../harness/core/messages/wire-record.ts";
import { renderHtml } from "../html/html.ts";
import { lostInFailover } from "../testdata/example-runs.ts";
import { renderSvg } from "./svg.ts";
import { renderText } from "./text.ts";
import { WIRE_TITLE, wireWords } from "./wire-words.ts";

const grant = lostInFailover().history.events.find(({ type, f }) => type === "ok" && f === "acquire");
const asked = lostInFailover().history.events.findLast(
  ({ index, type, process }) => type === "invoke" && process === grant?.process && index < (grant?.index ?? 0),
);

/** What a proxy saw of the operation that was granted first. */
function proxied(answered: boolean): WireRecord {
  const [sentNs, repliedNs] = [asked?.time ?? 0, grant?.time ?? 0];
  const client = Number(asked?.process);
  const sent = { client, server: "node-0", command: "SET", keys: ["k1"], count: 1, connection: "c#1", sentNs };
  const reply = answered ? { repliedNs, reply: "OK" } : {};
  return {
    format: "lockstorm-wire",
    version: 1,
    messages: [{ ...sent, ...reply, operation: asked?.index ?? -1 }],
    keys: [],
    replication: [],
    votes: [],
    leftOut: 0,
    seenAt: "proxy",
    gaps: ["votes <were> not observed"],
  };
}

const PLAIN = { color: false, unicode: true, width: 100 };

test("where a proxy saw the messages, reports say what it saw and what nobody saw", () => {
  expect(wireWords(proxied(true))).toEqual([
    "between clients and servers 1 command passed, all of them answered",
    "votes <were> not observed",
  ]);
  expect(wireWords({ ...proxied(false), leftOut: 2 })).toEqual([
    "between clients and servers 1 command passed, 1 of them without a reply",
    "not kept for lack of room: 2 further commands",
    "votes <were> not observed",
  ]);
  const run = { ...lostInFailover(), wire: proxied(true) };
  expect(renderText(run, PLAIN)).toContain(`${WIRE_TITLE}\n  - between clients and servers 1 command passed`);
  const page = renderHtml({ runs: [run] });
  expect(page).toContain(`<h2>${WIRE_TITLE}</h2>`);
  expect(page).toContain("<li>votes &lt;were&gt; not observed</li>");
});

test("where all was observed, or nothing recorded, reports say nothing of it", () => {
  const { seenAt, gaps, ...all } = proxied(true);
  expect([seenAt, gaps?.length]).toEqual(["proxy", 1]);
  for (const wire of [undefined, all]) {
    expect(wireWords(wire)).toEqual([]);
    expect(renderText({ ...lostInFailover(), wire }, PLAIN)).not.toContain(WIRE_TITLE);
    expect(renderHtml({ runs: [{ ...lostInFailover(), wire }] })).not.toContain(WIRE_TITLE);
  }
});

test("the diagram draws what a proxy saw, and does not say when it reached a server", () => {
  const plain = renderSvg(lostInFailover()) ?? "";
  const answered = renderSvg({ ...lostInFailover(), wire: proxied(true) }) ?? "";
  expect(plain).not.toContain("SET k1");
  expect(answered).toContain("SET k1");
  expect(answered).not.toContain("no reply seen");
  expect(answered).toContain(
    "messages as a proxy saw them: their arrival at nodes, and what nodes held, was not observed",
  );
  expect(answered).not.toContain("a server thinks");
  expect(renderSvg({ ...lostInFailover(), wire: proxied(false) })).toContain("SET k1, no reply seen");
});
