import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, type MockInstance, vi } from "vitest";
import type { Progress } from "../run-environment.ts";

/** A folder of results for each test of a file, named after the test; all are removed at the end. */
export function freshStores(): (name?: string) => string {
  const root = mkdtempSync(join(tmpdir(), "lockstorm-campaign-"));
  afterAll(() => rmSync(root, { recursive: true }));
  let number = 0;
  return (name = "store") => join(root, `${(number += 1)}-${name}`);
}

/** Fails a test that writes to standard output or to standard error. */
export function expectSilence(): void {
  const spies: MockInstance[] = [];
  beforeEach(() => {
    spies.push(vi.spyOn(process.stdout, "write"), vi.spyOn(process.stderr, "write"));
  });
  afterEach(() => {
    for (const spy of spies.splice(0)) expect(spy).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });
}

/** The reported progress of a campaign. */
export class HeardProgress implements Progress {
  readonly steps: string[] = [];
  readonly notes: string[] = [];
  /** Hears each step too, to act upon it. */
  onStep: (text: string) => void = () => {};

  step(text: string): void {
    this.steps.push(text);
    this.onStep(text);
  }

  note(line: string): void {
    this.notes.push(line);
  }
}
