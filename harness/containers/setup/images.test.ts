import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hashFolder, NODE_IMAGE, nodeImage, TOXIPROXY_IMAGE, TOXIPROXY_VERSION, toxiproxyImage } from "./images.ts";

test("names are an engine's image references, one per server", () => {
  expect(NODE_IMAGE).toMatch(/^lockstorm-node:redis8-[0-9a-f]{12}$/);
  expect(TOXIPROXY_IMAGE).toMatch(/^lockstorm-toxiproxy:[0-9.]+-[0-9a-f]{12}$/);
  expect(nodeImage("valkey").name).toBe(NODE_IMAGE.replace("redis8", "valkey"));
});

test("the Dockerfile's default version of Toxiproxy is the one that is built", () => {
  const dockerfile = readFileSync(join(toxiproxyImage().directory, "Dockerfile"), "utf8");
  expect(dockerfile).toContain(`ARG VERSION=${TOXIPROXY_VERSION}\n`);
});

test("a folder's hash changes with a file's content and with its name, and with nothing else", () => {
  const folder = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
  try {
    writeFileSync(join(folder, "a"), "1");
    writeFileSync(join(folder, "b"), "2");
    const first = hashFolder(folder);
    writeFileSync(join(folder, "b"), "2");
    expect(hashFolder(folder)).toBe(first);
    writeFileSync(join(folder, "b"), "3");
    const second = hashFolder(folder);
    rmSync(join(folder, "b"));
    writeFileSync(join(folder, "c"), "3");
    expect(new Set([first, second, hashFolder(folder)]).size).toBe(3);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
