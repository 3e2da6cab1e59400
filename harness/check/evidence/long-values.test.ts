import { expect, it } from "vitest";
import { judge, violationsOf } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";
import { withShortValues } from "./long-values.ts";

const long = (end: string): string => `${"x".repeat(3000)}${end}`;

it("names long owner values and data shortly, and leaves everything else as it is", () => {
  const { events } = new Recording().write(0, 0, long("a"), long("b"), { fence: 1 }).acquire(1, 1, "short").history;
  const [write, ...others] = events.map(withShortValues);
  const { owner, data, ...rest } = write!.value as { owner: string; data: string };
  expect([owner.length, data.length]).toEqual([57, 57]);
  expect(owner).not.toBe(data);
  expect(rest).toEqual({ fence: 1 });
  expect(others).toEqual(events.slice(1));
  const limit = "x".repeat(256);
  const [kept] = new Recording().leave(0, 0, limit).history.events.map(withShortValues);
  expect(kept?.value).toEqual({ owner: limit });
});

it("tells owner values apart that differ at their end, and takes equal ones for one", () => {
  const release = (owner: string): Recording =>
    new Recording({ clients: 2 }).acquire(0, 0, long("a")).acquire(1200, 1, long("b")).release(1210, 0, owner);
  expect(judge("owner-release", release(long("a")))).toMatch(/^invalid; foreign-release/);
  expect(judge("owner-release", release(long("b")))).toBe("valid");
  expect(violationsOf("owner-release", release(long("a")))[0]?.explanation).toContain("owner xxxxxxxx");
});

it("tells keys apart that differ at their end", () => {
  const beside = (key: string): string =>
    judge("lease-exclusion", new Recording({ clients: 2 }).on(long("a")).acquire(0, 0, "a").on(key).acquire(5, 1, "b"));
  expect(beside(long("b"))).toBe("valid");
  expect(beside(long("a"))).toMatch(/^invalid/);
});

it("compares long data of writes", () => {
  const audited = (data: string): string =>
    judge("lost-updates", new Recording().write(0, 0, "a", long("1")).wrote(1, 0, 1).audit(2, 1, data, { owner: "a" }));
  expect(audited(long("1"))).toBe("valid");
  expect(audited(long("2"))).toMatch(/^invalid; lost-write/);
});
