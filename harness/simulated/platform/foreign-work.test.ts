import "./install.ts";
import crypto from "node:crypto";
import { promisify } from "node:util";
import { MessageChannel as NodeMessageChannel, receiveMessageOnPort } from "node:worker_threads";
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
  "a module of WebAssembly": async () => {
    const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
    const wasm = Reflect.get(globalThis, "WebAssembly") as {
      readonly compile: (bytes: Uint8Array) => Promise<object>;
      readonly instantiate: (source: object) => Promise<{ readonly exports?: object; readonly instance?: object }>;
    };
    const compiled = await wasm.compile(bytes);
    const [ofModule, ofBytes] = [await wasm.instantiate(compiled), await wasm.instantiate(bytes)];
    const kind = (value: unknown): string => Object.prototype.toString.call(value);
    return [kind(compiled), kind(ofModule), kind(ofBytes.instance), Object.keys(ofBytes)];
  },
  "the stream of a Blob": async () => {
    let text = "";
    for await (const chunk of new Blob(["a", "bc"]).stream().pipeThrough(new TextDecoderStream())) text += chunk;
    return text;
  },
  "locks of the navigator": async () => {
    const { locks } = navigator as unknown as Record<string, Navigators>;
    const told: unknown[] = [];
    const hold = (): Promise<void> =>
      locks!.request("shelf", async ({ name }) => {
        told.push(
          name,
          (await locks!.query()).held.map((held) => held.name),
        );
        await new Promise((resolve) => setTimeout(resolve, 20));
        told.push("over");
      });
    await Promise.all([hold(), hold()]);
    return told;
  },
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
  "a message that is taken from a port": async () => {
    const { port1, port2 } = new NodeMessageChannel();
    port1.postMessage("first");
    port1.postMessage("second");
    const taken = [receiveMessageOnPort(port2), receiveMessageOnPort(port2), receiveMessageOnPort(port2)];
    port1.close();
    return taken;
  },
};

interface Navigators {
  request(name: string, holder: (lock: { readonly name: string }) => Promise<void>): Promise<void>;
  query(): Promise<{ readonly held: readonly { readonly name: string }[] }>;
}

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

test("a lock of the navigator that one host holds keeps no other host and no later run waiting", async () => {
  const { locks } = navigator as unknown as Record<string, Navigators>;
  const held: string[] = [];
  for (let run = 0; run < 2; run += 1) {
    const kernel = new Kernel({ seed: 1 });
    for (const name of ["client-0", "client-1"]) {
      kernel.host(name).spawn("main", async () => {
        void locks!.request("shelf", () => new Promise(() => held.push(name)));
      });
    }
    await kernel.run();
  }
  expect(held).toEqual(["client-0", "client-1", "client-0", "client-1"]);
});

test("an observer of performance is never called in the real time after a run", async () => {
  const heard: unknown[] = [];
  const kernel = new Kernel({ seed: 1 });
  kernel.host("client-0").spawn("main", () => {
    new PerformanceObserver(() => heard.push("in a host")).observe({ entryTypes: ["mark"] });
    performance.mark("of a host");
  });
  await kernel.run();
  await new Promise<void>((resolve) => {
    const observer = new PerformanceObserver(() => {
      observer.disconnect();
      resolve();
    });
    observer.observe({ entryTypes: ["mark"] });
    performance.mark("outside");
  });
  expect(heard).toEqual([]);
});
