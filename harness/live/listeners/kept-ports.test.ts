import { expect, onTestFinished, test } from "vitest";
import { dropPort, keepPort } from "./kept-ports.ts";

test.runIf(process.platform === "linux")("a port is kept for one listener at a time", () => {
  // So many that some would be the same if each were drawn alone.
  const ports = Array.from({ length: 1000 }, keepPort);
  onTestFinished(() => ports.forEach(dropPort));
  expect(ports).not.toContain(0);
  expect(new Set(ports).size).toBe(ports.length);
});
