import { createServer, type RequestListener } from "node:http";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import Dockerode from "dockerode";
import { UserError } from "../../core/errors.ts";
import { withinDeadline } from "./engine.ts";
import { boundEveryCall } from "./engine-deadline.ts";

/** An engine's API on a separate socket, answering as `listener` does. */
async function fakeEngine(listener: RequestListener): Promise<{ docker: Dockerode } & AsyncDisposable> {
  const folder = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
  const socketPath = join(folder, "engine.sock");
  const server = createServer(listener).listen(socketPath);
  await once(server, "listening");
  const docker = new Dockerode({ socketPath });
  return {
    docker,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      rmSync(folder, { recursive: true });
    },
  };
}

test("a call that is never answered fails, naming the call, and its connection is given up", async () => {
  let closed: Promise<unknown> | undefined;
  await using engine = await fakeEngine((request) => {
    closed = once(request.socket, "close");
  });
  boundEveryCall(engine.docker.modem, 50);
  const call = engine.docker.listContainers({ all: true });
  await expect(call).rejects.toThrow(UserError);
  await expect(call).rejects.toThrow('the container engine hangs: no answer for 0.05 s to "GET /containers/json"');
  await closed;
});

test("an answer that begins but never ends is bounded too", async () => {
  await using engine = await fakeEngine((_request, response) => {
    response.write("[");
  });
  boundEveryCall(engine.docker.modem, 50);
  await expect(engine.docker.listImages()).rejects.toThrow("hangs");
});

test("an answer in time is passed on, result and error alike", async () => {
  await using engine = await fakeEngine((request, response) => {
    response.statusCode = request.url?.startsWith("/networks/gone") === true ? 404 : 200;
    response.end(JSON.stringify({ message: "no such network", Name: "n" }));
  });
  boundEveryCall(engine.docker.modem, 5_000);
  await expect(engine.docker.getNetwork("n").inspect()).resolves.toMatchObject({ Name: "n" });
  await expect(engine.docker.getNetwork("gone").inspect()).rejects.toThrow("no such network");
});

test("waiting for a container's end is not bounded", async () => {
  const answer = Promise.withResolvers<void>();
  await using engine = await fakeEngine((_request, response) => {
    void answer.promise.then(() => response.end(JSON.stringify({ StatusCode: 137 })));
  });
  boundEveryCall(engine.docker.modem, 50);
  const wait = engine.docker.getContainer("c").wait();
  await expect(engine.docker.listImages()).rejects.toThrow("hangs");
  answer.resolve();
  await expect(wait).resolves.toMatchObject({ StatusCode: 137 });
});

test("a deletion of images has longer than other calls, and is bounded too", async () => {
  const answer = Promise.withResolvers<void>();
  let prunes = 0;
  await using engine = await fakeEngine((request, response) => {
    if (request.url?.startsWith("/images/prune") !== true || ++prunes > 1) return;
    void answer.promise.then(() => response.end(JSON.stringify({ SpaceReclaimed: 7 })));
  });
  boundEveryCall(engine.docker.modem, 50);
  const prune = engine.docker.pruneImages();
  await expect(engine.docker.listImages()).rejects.toThrow("hangs");
  answer.resolve();
  await expect(prune).resolves.toMatchObject({ SpaceReclaimed: 7 });
  await expect(engine.docker.pruneImages()).rejects.toThrow('no answer for 0.75 s to "POST /images/prune"');
});

test("a caller's own abort still ends a call", async () => {
  await using engine = await fakeEngine(() => {});
  boundEveryCall(engine.docker.modem, 5_000);
  const abort = new AbortController();
  const call = engine.docker.listContainers({ abortSignal: abort.signal });
  abort.abort();
  await expect(call).rejects.toThrow("abort");
});

test("withinDeadline passes results and errors on, and bounds what never settles", async () => {
  await expect(withinDeadline("look", Promise.resolve(7), 50)).resolves.toBe(7);
  await expect(withinDeadline("look", Promise.reject(new Error("no")), 50)).rejects.toThrow("no");
  await expect(withinDeadline("look", new Promise(() => {}), 50)).rejects.toThrow('"look"');
});
