import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { checkHistory } from "../harness/check/check.ts";
import type { WireRecord } from "../harness/core/messages/wire-record.ts";
import type { History } from "../harness/history/history.ts";
import { REPORT_FORMATS, renderReport } from "./formats.ts";
import { renderHtml } from "./html/html.ts";
import { renderAnnotations, renderMarkdown } from "./run/markdown.ts";
import type { Report, RunRecord } from "./run/run-record.ts";
import { renderSummaryTable } from "./campaign/summary-table.ts";
import { faultWithoutEffect, lostInFailover } from "./testdata/example-runs.ts";
import { renderText, renderViolation } from "./run/text.ts";

/**
 * Everything that could harm a terminal, a CI, a page or a reader; wherever it is broken, a line begins with a command.
 */
const ATTACK = [
  "::error title=x::y",
  "\u001b[2J\u001b]0;pwn\u0007\u009b31m",
  "\r\n::add-mask::z\n##[error]w ##vso[task.complete]",
  "\u202e\u2066\u200b\u200f\u061c\ufeff\u2028\ufffe\ud800\u{e0041}",
  `<img src=x onerror="alert(1)"></script><script>alert(2)</script>]]>`,
  "@somebody #12 https://evil.example ![i](http://127.0.0.1/x) | a | ```",
].join(" ");

/** Every text of an event but for what the format fixes. */
function poisoned(value: unknown, name = ""): unknown {
  if (["type", "phase", "outcome"].includes(name)) return value;
  if (name === "f" || name === "process") return value;
  if (typeof value === "string") return value + ATTACK;
  if (Array.isArray(value)) return value.map((item) => poisoned(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, content]) => [key, poisoned(content, key)]));
}

function hostile({ history, plan }: RunRecord, long = ""): RunRecord {
  const words = ATTACK + long;
  const events = history.events.map((event) => {
    const value = "value" in event ? poisoned(event.value) : undefined;
    const named = "key" in event ? { key: event.key + words } : {};
    const fault = event.type === "fault" ? { f: event.f === "promotion" ? event.f : event.f + words } : {};
    return { ...event, ...named, ...fault, ...(value === undefined ? {} : { value }), [words]: words };
  }) as unknown as History["events"];
  const header = { ...history.header, lock: words, topology: words, backend: words, [words]: words };
  const whole = { header, events };
  const verdict = checkHistory(whole, { required: ["mutual-exclusion", "lease-exclusion", "linearizability"] });
  return {
    ...(plan === undefined ? {} : { plan: { ...plan, lock: ATTACK } }),
    history: whole,
    verdict: { ...verdict, reasons: [...verdict.reasons, words], remarks: [...verdict.remarks, words] },
    title: words,
    replayCommand: `npx lockstorm replay ${words}`,
    wire: wireOf(whole, words),
    control: { says: words, history: { header, events: events.slice(0, 4) } },
  };
}

/** A wire on which every text is hostile, and that is drawn all the same: each grant reaches a server. */
function wireOf({ events }: History, words: string): WireRecord {
  const grants = events.filter((event) => event.type === "ok" && event.f === "acquire");
  const messages = grants.map(({ index, time }) => ({
    ...{ client: 0, server: `node-0${words}`, command: words, keys: [words], count: 1, connection: words },
    ...{ sentNs: time, reachedNs: time, appliedNs: time, repliedNs: time, operation: index - 1, reply: words },
  }));
  const keys = grants.map((event) => ({
    ...{ server: `node-0${words}`, key: "key" in event ? event.key : "", atNs: event.time, clockAheadNs: 1e9 },
    value: event.type === "ok" && event.f === "acquire" ? event.value.owner : "",
  }));
  const replication = [{ from: words, to: words, key: words, sentNs: 0, appliedNs: 1 }];
  const votes = [{ sentinel: words, candidate: words, epoch: 1, atNs: 1 }];
  return { format: "lockstorm-wire", version: 1, messages, keys, replication, votes, leftOut: 0 };
}

function reportOf(run: RunRecord): Report {
  const cell = { lock: ATTACK, fault: ATTACK, expected: "holds", found: "broken", note: ATTACK } as const;
  const missing = { cells: 1, reason: ATTACK };
  return {
    title: ATTACK,
    runs: [run],
    summary: { title: ATTACK, cells: [cell, { ...cell, found: "unknown" }], missing },
  };
}

const PLAIN = { color: false, width: 80 } as const;
const FORMATS: Readonly<Record<string, (run: RunRecord) => string>> = {
  ...Object.fromEntries(
    REPORT_FORMATS.map((format) => [format, (run: RunRecord) => renderReport(reportOf(run), format, PLAIN) ?? ""]),
  ),
  "narrow ASCII": (run) => renderText(run, { ...PLAIN, width: 60, unicode: false }),
  violation: (run) => renderViolation(run, PLAIN),
  "without events": (run) => renderText({ ...run, history: { ...run.history, events: [] }, omittedEvents: 9 }, PLAIN),
  table: (run) => renderSummaryTable(reportOf(run).summary ?? { cells: [] }, PLAIN),
};

describe.each(Object.entries(FORMATS))("as %s", (format, render) => {
  test.each([
    ["a run that broke", () => hostile(lostInFailover())],
    ["a run that proves nothing", () => hostile(faultWithoutEffect())],
  ])("%s lets nothing unseen out, and no command", (_, make) => {
    const text = render(make());
    // oxlint-disable-next-line no-control-regex -- they are what is looked for
    expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\ufffe]/u);
    expect(text).not.toMatch(/##\w*\[/);
    const commands = [...text.matchAll(/^\s*::[a-z].*::.*$/gim)].map(([line]) => line);
    if (format !== "annotations") expect(commands).toEqual([]);
    for (const line of commands) expect(line).toMatch(/^::(error|warning) title=[^:,]+::/);
    if (["html", "junit", "svg"].includes(format)) expect(text).not.toMatch(/<img src=x onerror|<script>alert/);
  });
});

test("annotations are ours, one a line", () => {
  const lines = renderAnnotations(reportOf(hostile(lostInFailover())))
    .trimEnd()
    .split("\n");
  for (const line of lines) expect(line).toMatch(/^::(error|warning) title=[^:,]+::/);
});

test("Markdown has nothing live in it, and a table keeps its columns", () => {
  const text = renderMarkdown(reportOf(hostile(lostInFailover()))).replaceAll(/^(```+).*\n[\s\S]*?^\1$/gm, "");
  expect(text).not.toMatch(/(?<!\\)<(img|script)|@\w|(?<!\\)#\d|https?:\/\/|(?<!\\)!?\[/);
  const rows = text.split("\n").filter((line) => line.startsWith("| "));
  expect(rows.length).toBeGreaterThan(3);
  for (const row of rows) expect(row.replaceAll("\\|", "").match(/\|/g)?.length).toBeOneOf([3, 5]);
});

test("what the page draws by its program comes as plain as the page", () => {
  const page = renderHtml({ runs: [hostile(lostInFailover())] });
  const [, data = ""] = /class="run-data">\s*([\w+/=]+)/.exec(page) ?? [];
  const json = gunzipSync(Buffer.from(data, "base64")).toString();
  const words = JSON.stringify(JSON.parse(json), (_, value: unknown) => value);
  expect(words).toContain("somebody");
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  expect(words).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|\\u(00[01]|d8)|\\[rnbf]/u);
});

const LONG = "x".repeat(1_000_000);

describe.each([
  ["hostile words", ""],
  ["words of a megabyte", LONG],
])("%s", (_, long) => {
  const report = reportOf(hostile(lostInFailover(), long));

  test.each(["json", "sarif", "code-quality", "perfetto"] as const)("leave %s whole", (format) => {
    expect(JSON.parse(renderReport(report, format, PLAIN) ?? "")).toBeTypeOf("object");
  });

  test.each(["junit", "svg", "badge"] as const)("leave %s well-formed", (format) => {
    expect(openElements(renderReport(report, format, PLAIN) ?? "<none>")).toEqual([]);
  });
});

/** The elements of a document that are open at its end. @throws at markup that is not well-formed XML */
function openElements(xml: string): readonly string[] {
  const open: string[] = [];
  const text = String.raw`(?:[^<&\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|&(?:amp|lt|gt|quot|apos|#\d+);)*?`;
  const tag = new RegExp(
    String.raw`${text}(?:<\?xml [^?]*\?>|<(?<close>/)?(?<name>[a-z][\w-]*)(?:\s+[\w:-]+="${text}")*\s*(?<empty>/)?>|$)`,
    "yu",
  );
  while (tag.lastIndex < xml.length) {
    const at = tag.lastIndex;
    const { name, close, empty } = tag.exec(xml)?.groups ?? {};
    if (tag.lastIndex <= at) throw new Error(`not well-formed: ${xml.slice(at, at + 80)}`);
    if (close !== undefined && open.pop() !== name) throw new Error(`${name} is closed, and not open`);
    if (name !== undefined && close === undefined && empty === undefined) open.push(name);
  }
  return open;
}

test("the check of XML sees what is not well-formed", () => {
  expect(openElements('<?xml version="1.0"?>\n<a b="&lt;"><c/>x</a>\n')).toEqual([]);
  expect(openElements("<a><b></b>")).toEqual(["a"]);
  for (const bad of ["<a></b>", '<a b="<"/>', "<a>&nbsp;</a>", "<a>\u0001</a>", "<a>a < b</a>"]) {
    expect(() => openElements(bad), bad).toThrow();
  }
});

test("long words are shortened", () => {
  const long = hostile(lostInFailover(), "x".repeat(200_000));
  const short = hostile(lostInFailover());
  // JSON is data, so it is complete.
  for (const [format, render] of Object.entries(FORMATS).filter(([name]) => name !== "json")) {
    expect(render(long).length - render(short).length, format).toBeLessThan(100_000);
  }
});
