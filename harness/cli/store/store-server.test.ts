import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { StoreReader } from "./read-store.ts";
import { StoreServer } from "./store-server.ts";

const PLAN = JSON.stringify({ lock: "single", seed: 7, topology: { kind: "single" }, faults: [] });
const HEADER = { kind: "hunt", parameters: { lock: "single", seed: 3, runs: 10 } };

let root = "";
let store = "";
let server: StoreServer;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "lockstorm-server-"));
  store = join(root, "store");
  mkdirSync(join(store, "runs"), { recursive: true });
  mkdirSync(join(store, "campaigns"));
  writeFileSync(join(root, "secret.html"), "secret");
  const reader = new StoreReader(store);
  server = await StoreServer.start(store, { reader, listing: await reader.read(), port: 0 });
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(root, { recursive: true });
});

function writeRun(name: string): void {
  mkdirSync(join(store, "runs", name));
  writeFileSync(join(store, "runs", name, "plan.json"), PLAN);
}

/** The status and the text of an answer. `fetch` would tidy the path and write the host itself. */
function ask(path: string, options: { readonly host?: string; readonly method?: string } = {}) {
  const { hostname, port, host } = new URL(server.address);
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number | undefined; text: string }>();
  request(
    { hostname, port, path, method: options.method ?? "GET", headers: { host: options.host ?? host } },
    (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (part: string) => (text += part));
      answer.on("end", () => resolve({ status: answer.statusCode, text }));
    },
  )
    .on("error", reject)
    .end();
  return promise;
}

test("the page and what is in the store are served, nothing beside it", async () => {
  writeRun("2026-01-31T12-00-00-1");
  writeFileSync(join(store, "runs", "2026-01-31T12-00-00-1", "report.html"), "a report");
  expect(await ask("/")).toMatchObject({ status: 200, text: expect.stringContaining("Runs of lockstorm") as string });
  expect(await ask("/runs/2026-01-31T12-00-00-1/report.html")).toEqual({ status: 200, text: "a report" });
  symlinkSync(join(root, "secret.html"), join(store, "link.html"));
  writeFileSync(join(store, ".hidden.html"), "hidden");
  writeFileSync(join(store, "driver.ts"), "code");
  for (const path of [
    "/../secret.html",
    "/%2e%2e/secret.html",
    "/..%2fsecret.html",
    "/link.html",
    "/.hidden.html",
    "/driver.ts",
    "/runs",
    "/nowhere.html",
    "/%00.html",
    "/%ff.html",
  ]) {
    expect(await ask(path), path).toEqual({ status: 404, text: "no such page in this store\n" });
  }
});

test("another site's name for this address is refused, and so is everything but reading", async () => {
  const { port } = new URL(server.address);
  expect(await ask("/", { host: "evil.example" })).toMatchObject({ status: 403 });
  expect(await ask("/", { host: `evil.example:${port}` })).toMatchObject({ status: 403 });
  expect(await ask("/", { host: `localhost:${port}` })).toMatchObject({ status: 200 });
  expect(await ask("/", { method: "POST" })).toMatchObject({ status: 405 });
});

test(
  "who watches is told of new runs, of how far a hunt is, and to load again when one has ended",
  { tags: "long" },
  async () => {
    const live = /data-live="([^"]*)"/.exec((await ask("/")).text)?.[1] ?? "";
    const stop = new AbortController();
    const answer = await fetch(new URL(live, server.address), { signal: stop.signal });
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    let heard = "";
    const listening = (async () => {
      const decoder = new TextDecoder();
      for await (const part of answer.body ?? []) heard += decoder.decode(part as Uint8Array, { stream: true });
    })().catch(() => {});
    const patience = { timeout: 20_000, interval: 50 };
    await vi.waitFor(
      () => expect(heard).toContain('event: change\ndata: {"runs":[],"gone":[],"campaigns":[]}\n\n'),
      patience,
    );
    writeRun("2026-01-31T12-00-00-1");
    await vi.waitFor(() => expect(heard).toMatch(/"folder":"runs\/2026-01-31T12-00-00-1"/), patience);
    const journal = join(store, "campaigns", "hunt-single-single.jsonl");
    writeFileSync(journal, `${JSON.stringify(HEADER)}\n{"position":0,"verdict":"valid"}\n`);
    await vi.waitFor(() => expect(heard).toContain("hunt, single, seed 3: 1 of 10 runs done, 1 valid"), patience);
    rmSync(join(store, "runs", "2026-01-31T12-00-00-1"), { recursive: true });
    await vi.waitFor(() => expect(heard).toContain('"gone":["runs/2026-01-31T12-00-00-1"]'), patience);
    writeFileSync(join(store, "outcomes.jsonl"), `${JSON.stringify({ name: "hunt", at: "now", cells: [] })}\n`);
    await vi.waitFor(() => expect(heard).toContain("event: reload"), patience);
    stop.abort();
    await listening;
  },
);

test("a page that was made before the newest change is told to load again", async () => {
  const answer = await fetch(new URL("/events?version=17", server.address));
  const reader = (answer.body ?? expect.unreachable()).getReader();
  const { value } = await reader.read();
  expect(new TextDecoder().decode(value)).toBe("event: reload\ndata: {}\n\n");
  await reader.cancel();
});
