import { exec, execFile } from "node:child_process";
import dgram from "node:dgram";
import dns from "node:dns";
import fs from "node:fs";
import http2 from "node:http2";
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
  "dns.resolveTxt": () => dns.resolveTxt("localhost", noop),
  "dns.promises.resolveAny": () => dns.promises.resolveAny("localhost"),
  "dns.lookupService": () => dns.lookupService("127.0.0.1", 80, noop),
  "dns.Resolver.resolve4": () => new dns.Resolver().resolve4("localhost", noop),
  "dns.promises.Resolver.resolveSrv": () => new dns.promises.Resolver().resolveSrv("localhost"),
  "http2.connect": () => http2.connect("http://127.0.0.1:1"),
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
