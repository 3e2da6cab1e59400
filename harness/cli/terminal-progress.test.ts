import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { TerminalProgress } from "./terminal-progress.ts";

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubEnv("CI", undefined);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

function heard(isTTY: boolean) {
  const written: string[] = [];
  const stream = { isTTY, columns: 80, write: (text: string) => written.push(text), clearLine: () => {} };
  return { written, progress: new TerminalProgress(stream) };
}

test("in a pipe the first step is told at once, then the current one every ten seconds, and findings always", () => {
  const { written, progress } = heard(false);
  for (let second = 0; second < 25; second += 1) {
    progress.step(`step ${second}`);
    if (second === 3) progress.note("a finding");
    vi.advanceTimersByTime(1000);
  }
  expect(written).toEqual([
    "[0.0 s] step 0\n",
    "a finding\n",
    expect.stringMatching(/^\[(?:9\.\d|10\.0) s\] step (?:9|10)\n$/),
    expect.stringMatching(/^\[(?:19\.\d|20\.0) s\] step (?:19|20)\n$/),
  ]);
});

test("in a pipe what takes long is told again, although nothing changes", () => {
  const { written, progress } = heard(false);
  progress.step("waiting");
  vi.advanceTimersByTime(20_000);
  expect(written).toEqual(["[0.0 s] waiting\n", "[10.0 s] waiting\n", "[20.0 s] waiting\n"]);
  progress[Symbol.dispose]();
  vi.advanceTimersByTime(20_000);
  expect(written).toHaveLength(3);
});

test("on a terminal one line shows each step, and the seconds count on", () => {
  const { written, progress } = heard(true);
  progress.step("one");
  progress.step("two");
  vi.advanceTimersByTime(400);
  expect(written).toEqual(["[0.0 s] one", "[0.0 s] two", "[0.2 s] two", "[0.4 s] two"]);
});
