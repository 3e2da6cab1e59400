import { afterEach, expect, test, vi } from "vitest";
import { UserError } from "../../core/errors.ts";
import { connectEngine, connectionTarget, NoEngineError } from "./engine.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

test("an engine that was named and is not there is not replaced by another", async () => {
  vi.stubEnv("DOCKER_HOST", "unix:///nowhere/docker.sock");
  const connecting = connectEngine();
  await expect(connecting).rejects.toThrow(UserError);
  await expect(connecting).rejects.not.toThrow(NoEngineError);
  await expect(connecting).rejects.toThrow("no container engine answers at DOCKER_HOST=unix:///nowhere/docker.sock");
});

test.each([
  ["unix:///run/user/1000/docker.sock", { path: "/run/user/1000/docker.sock" }],
  ["tcp://10.0.0.1", { host: "10.0.0.1", port: 2375 }],
  ["tcp://10.0.0.1:2376", { host: "10.0.0.1", port: 2376 }],
  ["ssh://somebody@somewhere", undefined],
  ["not a host", undefined],
])("DOCKER_HOST=%s", (host, target) => {
  expect(connectionTarget(host)).toEqual(target);
});
