import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { goCommand, prepareGo } from "./go.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
  vi.stubEnv("XDG_CACHE_HOME", join(folder, "cache"));
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** Nothing but a `go` that does this. */
function stubGo(script: string): void {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "go"), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, "go"), 0o755);
  vi.stubEnv("PATH", bin);
}

test("Go that is missing is one line", async () => {
  vi.stubEnv("PATH", folder);
  await expect(prepareGo(() => {})).rejects.toThrow(/^lockstorm needs Go .*: there is no go command$/);
});

test("a program in Go that cannot be built is one line, and leaves nothing behind", async () => {
  stubGo('[ "$1" = version ] || { echo "go: downloading" >&2; echo "no required module provides it" >&2; exit 1; }');
  await expect(prepareGo(() => {})).rejects.toThrow(/^lockstorm needs Go .*: no required module provides it$/);
  expect(readdirSync(join(folder, "cache", "lockstorm"))).toEqual([]);
});

test("a program in Go is built once, whole, without the user's workspace", async () => {
  stubGo('[ "$1" = version ] || { echo "$GOWORK" > "$4"; }');
  vi.stubEnv("GOWORK", "/somewhere/go.work");
  expect(await prepareGo(() => {})).toBe("made");
  expect(await prepareGo(() => {})).toBe("present");
  const { program, arguments: words, directory } = goCommand("redsync", "redsync");
  expect([existsSync(program), words, readdirSync(directory)]).toEqual([true, ["redsync"], ["lockstorm-locks"]]);
});
