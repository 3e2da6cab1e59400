// @module-tag long
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type Dockerode from "dockerode";
import { afterEach, beforeEach, expect, test } from "vitest";
import { UserError } from "../../core/errors.ts";
import { connectEngine } from "../engine/engine.ts";
import { hasImage } from "../engine/engine-messages.ts";
import { describeWithEngine } from "../testing/engine-required.ts";
import { ensureImage } from "./image-build.ts";
import { NODE_IMAGE, POSTGRES_IMAGE, TOXIPROXY_IMAGE, ZOOKEEPER_IMAGE, type Image } from "./images.ts";
import { setup } from "./setup.ts";

const ALL_IMAGES = [NODE_IMAGE, POSTGRES_IMAGE, ZOOKEEPER_IMAGE, TOXIPROXY_IMAGE];
const NAME = `lockstorm-test:${process.pid}`;
const options = { onProgress: (): void => {} };

let engine: Dockerode;
let folder: string;

beforeEach(async () => {
  engine = await connectEngine();
  folder = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
});

afterEach(async () => {
  rmSync(folder, { recursive: true });
  if (await hasImage(engine, NAME)) await engine.getImage(NAME).remove();
});

function imageOf(...dockerfile: readonly string[]): Image {
  writeFileSync(join(folder, "Dockerfile"), ["ARG BASE", ...dockerfile].join("\n"));
  return { name: NAME, directory: folder, buildArguments: { WORD: "given" }, downloadsOverTls: true };
}

describeWithEngine("the set-up", () => {
  test("changes nothing where everything is there, and says so", async () => {
    const ids = async (): Promise<readonly string[]> =>
      Promise.all(ALL_IMAGES.map(async (name) => (await engine.getImage(name).inspect()).Id));
    const before = await ids();
    const lines: string[] = [];
    const report = await setup({ onProgress: (line) => lines.push(line) });
    expect(report.engine.action).toBe("present");
    expect(report.images).toEqual(ALL_IMAGES.map((name) => ({ name, action: "present" })));
    expect(lines).toContain(`image ${NODE_IMAGE}: present`);
    expect(await ids()).toEqual(before);
  });
});

describeWithEngine("an image", () => {
  test("is built once, from its folder, its arguments and what this machine trusts", async () => {
    writeFileSync(join(folder, "file"), "");
    const image = imageOf(
      "FROM ${BASE}",
      "ARG WORD",
      "COPY . /context/",
      "RUN test -f /context/file && test -f /context/host-ca.crt",
      "LABEL word=${WORD}",
    );
    expect(await ensureImage(engine, image, options)).toBe("built");
    expect((await engine.getImage(NAME).inspect()).Config.Labels).toMatchObject({ word: "given" });
    expect(await ensureImage(engine, image, options)).toBe("present");
  });

  test("that cannot be built is an error with the engine's last words, and leaves no container", async () => {
    const image = imageOf("FROM ${BASE}", `RUN echo the reason of ${process.pid} && exit 42`);
    const building = ensureImage(engine, image, options);
    await expect(building).rejects.toThrow(UserError);
    await expect(building).rejects.toThrow(`the reason of ${process.pid}`);
    const containers = await engine.listContainers({ all: true });
    expect(containers.filter(({ Command }) => Command.includes(`reason of ${process.pid}`))).toEqual([]);
  });
});
