import "./install.ts";
import crypto from "node:crypto";
import { promisify } from "node:util";
import { MessageChannel as NodeMessageChannel } from "node:worker_threads";
import zlib from "node:zlib";
import { expect, test } from "vitest";
import { Kernel } from "../kernel/kernel.ts";

/**
 * Functions that compute in other threads for Node, or deliver at a real time. Each gives the same result in a host and
 * outside.
 */
const works: Readonly<Record<string, () => Promise<unknown>>> = {
  pbkdf2: () => promisify(crypto.pbkdf2)("secret", "salt", 2, 8, "sha1"),
  scrypt: () => promisify<unknown>((done) => crypto.scrypt("secret", "salt", 8, done))(),
  hkdf: async () => Buffer.from(await promisify(crypto.hkdf)("sha256", "secret", "salt", "", 8)),
  "sign and verify": async () => {
    const { publicKey, privateKey } = await promisify(crypto.generateKeyPair)("ed25519");
    const signature = crypto.sign(null, Buffer.from("data"), privateKey);
    return new Promise((resolve) =>
      crypto.verify(null, Buffer.from("data"), publicKey, signature, (_, verified) => resolve(verified)),
    );
  },
  "subtle.digest": async () => Buffer.from(await crypto.subtle.digest({ name: "SHA-256" }, Buffer.from("script"))),
  "gzip and gunzip": async () => promisify(zlib.gunzip)(await promisify(zlib.gzip)("text")),
  "ports of the web": () =>
    new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port2.postMessage({ early: true });
      Object.assign(port1, {
        onmessage(event: MessageEvent) {
          resolve(event.data);
          port1.close();
        },
      });
    }),
  "ports of Node": () =>
    new Promise((resolve) => {
      const { port1, port2 } = new NodeMessageChannel();
      const heard: unknown[] = [];
      port2.once("message", (value) => heard.push(value));
      port2.on("message", (value) => heard.push(value));
      port2.on("close", () => resolve(heard));
      port1.postMessage([1]);
      port1.postMessage(2);
      setTimeout(() => port1.close(), 50);
    }),
};

test.each(Object.keys(works))("%s stays in its host and gives what it gives outside", async (name) => {
  const kernel = new Kernel({ seed: 1, checkDescent: true });
  const host = kernel.host("client-0");
  let doneAtUs = -1;
  const task = host.spawn("main", async () => {
    const value = await works[name]!();
    await Promise.resolve();
    // Throws where the promise was settled outside the host.
    Date.now();
    doneAtUs = kernel.now;
    return value;
  });
  kernel.at(1_000_000, "time passes", () => {});
  await kernel.run();
  expect(host.failures).toEqual([]);
  expect(doneAtUs).toBeLessThanOrEqual(50_000);
  expect(task.value).toEqual(await works[name]!());
});
