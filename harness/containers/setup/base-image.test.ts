import { createServer } from "node:http";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Dockerode from "dockerode";
import { afterEach, expect, test, vi } from "vitest";
import { UserError } from "../../core/errors.ts";
import { obtainBase } from "./base-image.ts";

let close = async (): Promise<void> => {};

afterEach(async () => {
  vi.unstubAllEnvs();
  await close();
});

/** An engine that has `images`, and whose registry answers a pull with `pull`. `asked` lists the requests. */
async function fakeEngine(images: string[], pull: { readonly status?: string; readonly error?: string }) {
  const asked: string[] = [];
  const folder = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://engine");
    if (request.method === "POST") {
      const name = `${url.searchParams.get("fromImage")}:${url.searchParams.get("tag")}`;
      asked.push(`pull ${name}`);
      if (pull.error === undefined) images.push(name);
      response.end(`${JSON.stringify(pull)}\n`);
      return;
    }
    const name = decodeURIComponent(/^\/images\/(.*)\/json$/.exec(url.pathname)?.[1] ?? "");
    response.statusCode = images.includes(name) ? 200 : 404;
    response.end(JSON.stringify({ message: "No such image" }));
  }).listen(join(folder, "socket"));
  await once(server, "listening");
  close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
    rmSync(folder, { recursive: true });
  };
  return { engine: new Dockerode({ socketPath: join(folder, "socket") }), asked };
}

const onProgress = (): void => {};

test("a base that is there is taken as it is: Debian's own before the bootstrapped one", async () => {
  const own = await fakeEngine(["lockstorm-base:trixie"], { error: "must not be asked" });
  expect(await obtainBase(own.engine, { onProgress })).toBe("lockstorm-base:trixie");
  await close();
  const both = await fakeEngine(["lockstorm-base:trixie", "debian:trixie-slim"], { error: "must not be asked" });
  expect(await obtainBase(both.engine, { onProgress })).toBe("debian:trixie-slim");
  expect([...own.asked, ...both.asked]).toEqual([]);
});

test("without one, Debian's is pulled", async () => {
  const { engine, asked } = await fakeEngine([], { status: "Status: Downloaded newer image" });
  expect(await obtainBase(engine, { onProgress })).toBe("debian:trixie-slim");
  expect(asked).toEqual(["pull debian:trixie-slim"]);
});

test("where it can be neither pulled nor bootstrapped, the error says both, and what to do", async () => {
  const { engine } = await fakeEngine([], { error: "no such host" });
  // A mirror that refuses connections, for a machine that could otherwise bootstrap.
  vi.stubEnv("LOCKSTORM_DEBIAN_MIRROR", "http://127.0.0.1:9/debian");
  const lines: string[] = [];
  const obtaining = obtainBase(engine, { onProgress: (line) => lines.push(line) });
  await expect(obtaining).rejects.toThrow(UserError);
  await expect(obtaining).rejects.toThrow("no base image");
  expect(lines.join("\n")).toContain("no such host");
});
