import { describe, expect, test } from "vitest";
import { renderSvg } from "./svg.ts";
import {
  EXAMPLE_RUNS,
  jumpOfOneInFive,
  lostInFailover,
  pausedPastLease,
  releaseAfterLoss,
  takingTurns,
} from "../testdata/example-runs.ts";

const count = (svg: string | undefined, pattern: RegExp): number => svg?.match(pattern)?.length ?? 0;
const texts = (svg: string | undefined, name: string): readonly (string | undefined)[] =>
  [...(svg ?? "").matchAll(new RegExp(`<text class="${name}"[^>]*>([^<]*)<`, "g"))].map(([, text]) => text);

test("a run without a violation has no diagram, and neither has a violation that is not there", () => {
  expect(renderSvg(takingTurns())).toBeUndefined();
  expect(renderSvg(lostInFailover(), 1)).toBeUndefined();
  expect(renderSvg(releaseAfterLoss(), 1)).toContain("<svg");
});

test("lines: the earlier holder, whom it asks, the later holder, the resource, then nodes nobody asks", () => {
  expect(texts(renderSvg(lostInFailover()), "ls-name")).toEqual([
    "client-0",
    "node-0",
    "node-1",
    "client-1",
    "resource",
    "node-2",
  ]);
  expect(texts(renderSvg(jumpOfOneInFive()), "ls-name").slice(0, 3)).toEqual([
    "client-0",
    "the five nodes",
    "client-1",
  ]);
});

test("after a promotion the lock is asked at the new master", () => {
  const svg = renderSvg(lostInFailover()) ?? "";
  const x = (name: string): string => new RegExp(`<text class="ls-name" x="(\\d+)"[^>]*>${name}<`).exec(svg)?.[1] ?? "";
  const grants = [...svg.matchAll(/<line class="ls-message ls-granted"[^>]* x1="(\d+)"/g)].map(([, from]) =>
    Number(from),
  );
  expect(grants).toEqual([Number(x("node-0")) - 6, Number(x("node-1")) + 6]);
});

test("a client that waited through a failover is answered by the new master, after its promotion", () => {
  const run = lostInFailover();
  const waited = run.history.events.filter(({ index }) => index !== 10 && index !== 7);
  const events = waited.map((event, index) => ({ ...event, index }));
  const place = (old: number): number => waited.findIndex(({ index }) => index === old);
  const [violation] = run.verdict.properties["mutual-exclusion"]?.violations ?? [];
  if (violation === undefined) throw new Error("no violation");
  const moved = { ...violation, events: violation.events.map(place), fault: place(9) };
  const properties = { "mutual-exclusion": { verdict: "invalid" as const, violations: [moved] } };
  const svg = renderSvg({ ...run, history: { ...run.history, events }, verdict: { ...run.verdict, properties } }) ?? "";
  const x = (name: string): string => new RegExp(`<text class="ls-name" x="(\\d+)"[^>]*>${name}<`).exec(svg)?.[1] ?? "";
  const grants = [...svg.matchAll(/<line class="ls-message ls-granted"[^>]* x1="(\d+)" y1="(\d+)"/g)];
  const promoted = /<circle class="ls-promotion" cx="\d+" cy="(\d+)"/.exec(svg)?.[1];
  expect(grants.map(([, from]) => Number(from))).toEqual([Number(x("node-0")) - 6, Number(x("node-1")) + 6]);
  expect(Number(grants[1]?.[2])).toBeGreaterThan(Number(promoted));
});

test("messages carry what was asked and answered; a refused write is one of them", () => {
  const labels = texts(renderSvg(pausedPastLease()), "ls-label");
  expect(labels).toContain("write p0-2, fencing token 33");
  expect(labels).toContain("refused");
  expect(labels).toContain("ok, fencing token 34");
});

test("a write whose audit was recorded after its reply is still drawn as applied before it", () => {
  const run = pausedPastLease();
  const late = run.history.events.map((event) =>
    event.type === "audit" && event.value.data === "p1-1" ? { ...event, time: 1100e6 } : event,
  );
  const svg = renderSvg({ ...run, history: { ...run.history, events: late } }) ?? "";
  const arrows = [...svg.matchAll(/<line class="ls-message [^>]* y1="([\d.]+)" x2="[\d.]+" y2="([\d.]+)"/g)];
  expect(arrows.length).toBeGreaterThan(8);
  for (const [, from, to] of arrows) expect(Number(to)).toBeGreaterThan(Number(from));
});

test("a request reached the lock before its client had the answer, however late the client said so", () => {
  const run = pausedPastLease();
  const events = run.history.events.map((event) =>
    event.index === 9 && event.type === "ok" && event.f === "acquire"
      ? { ...event, value: { ...event.value, grantedAt: 1005.2e6 } }
      : event,
  );
  const times = texts(renderSvg({ ...run, history: { ...run.history, events } }), "ls-time");
  expect(times).toContain("1,005.1 ms");
  expect(texts(renderSvg(run), "ls-time")).not.toContain("1,005.1 ms");
});

test("lease and overrun are bars of their own, the overlap is a field between the holders", () => {
  const svg = renderSvg(pausedPastLease());
  expect(count(svg, /<rect class="ls-lease"/g)).toBe(2);
  expect(count(svg, /<rect class="ls-overrun"/g)).toBe(1);
  expect(texts(svg, "ls-overlap-label")).toEqual(["both hold for 204 ms"]);
});

describe.each(Object.entries(EXAMPLE_RUNS))("%s", (_, make) => {
  const svg = renderSvg(make());
  test.skipIf(svg === undefined)("every coordinate is a number inside the drawing, and later is lower", () => {
    const [, width, height] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg ?? "")?.map(Number) ?? [];
    const coordinates = [...(svg ?? "").matchAll(/ ([xy])[12]?="([^"]*)"/g)];
    expect(coordinates.length).toBeGreaterThan(20);
    for (const [, axis, value] of coordinates) {
      expect(Number(value)).toBeGreaterThanOrEqual(0);
      expect(Number(value)).toBeLessThanOrEqual((axis === "x" ? width : height) ?? 0);
    }
    const times = [...(svg ?? "").matchAll(/<text class="ls-time" x="\d+" y="(\d+)"[^>]*>([\d.]+) ms/g)];
    const order = times.map(([, y, ms]) => [Number(y), Number(ms)] as const);
    expect(order).toEqual(order.toSorted(([a], [b]) => a - b));
    expect(order.map(([, ms]) => ms)).toEqual(order.map(([, ms]) => ms).toSorted((a, b) => a - b));
  });
});

test("text of a history stays text", () => {
  const svg = renderSvg({ ...lostInFailover(), title: `<script>"&` });
  expect(svg).toContain("&lt;script&gt;&quot;&amp;: the grant");
  expect(svg).not.toContain("<script");
});
