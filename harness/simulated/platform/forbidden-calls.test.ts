import { exec, execFile } from "node:child_process";
import dgram from "node:dgram";
import dns from "node:dns";
import fs from "node:fs";
import net from "node:net";
import tls from "node:tls";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import zlib from "node:zlib";
import { expect, test } from "vitest";
import { OutsideHostError } from "../kernel/current-context.ts";
import { inHost, inService } from "./testing/in-simulation.ts";

const noop = (): void => {};
/** The calls that a program in a host must not make. */
const forbidden: Record<string, () => unknown> = {
  "tls.connect": () => tls.connect(1, "127.0.0.1"),
  "net.Server.listen": () => net.createServer().listen(0),
  "dgram.createSocket": () => dgram.createSocket("udp4"),
  "dns.resolve4": () => dns.resolve4("localhost", noop),
  "fs.watch": () => fs.watch("."),
  "zlib.createGzip": () => zlib.createGzip(),
  "child_process.execFile": () => execFile("true"),
  "the promise of child_process.execFile": () => promisify(execFile)("true"),
  "the promise of child_process.exec": () => promisify(exec)("true"),
  "Atomics.wait": () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1),
  "Atomics.waitAsync": () => Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(4)), 0, 1),
  "fs.openAsBlob": () => fs.openAsBlob(import.meta.filename),
  "new BroadcastChannel": () => new BroadcastChannel("news"),
  "new Worker": () => new Worker("", { eval: true }),
};

test.each(Object.keys(forbidden))("%s throws in a host and in the simulation", async (name) => {
  await expect(inHost(() => forbidden[name]?.())).rejects.toThrow("is not simulated");
  await expect(inService(() => forbidden[name]?.())).rejects.toThrow(OutsideHostError);
});
