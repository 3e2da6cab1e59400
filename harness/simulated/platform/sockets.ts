import dgram from "node:dgram";
import dns from "node:dns";
import http2 from "node:http2";
import net from "node:net";
import tls from "node:tls";
import type { Host } from "../kernel/host.ts";
import type { HostSocket, HostSockets } from "../kernel/host-sockets.ts";
import { hostCalling } from "../kernel/current-context.ts";
import { unknownName } from "../network/socket-errors.ts";
import { real } from "./real.ts";
import { inCallersContext } from "./async-context.ts";
import { forbid, patch, replace } from "./replace.ts";

/**
 * Patches `net.connect`, `net.createConnection` and `new net.Socket()` so that they reach the simulated network, and
 * name resolution so that it knows the simulated hosts. Functions that a Redis client does not use (servers, TLS,
 * datagrams) throw.
 */
export function patchSockets(): void {
  const simulatedConnect = (host: Host, args: readonly unknown[]): HostSocket => {
    const options = connectOptions(args);
    const socket = socketsOf(host).create(options);
    if (typeof options.timeout === "number" && options.timeout > 0) socket.setTimeout(options.timeout);
    return socket.connect(...args);
  };
  patch(net, "connect", "net.connect", simulatedConnect);
  patch(net, "createConnection", "net.createConnection", simulatedConnect);
  patchSocketClass();
  forbid(real.Socket.prototype, "connect", "connect of a socket made outside the host");
  forbid(net.Server.prototype, "listen", "net.Server.listen");
  forbid(tls, "connect", "tls.connect");
  // It defers work by functions of Node that cannot be patched.
  forbid(http2, "connect", "http2.connect");
  forbid(dgram, "createSocket", "dgram.createSocket");
  patchLookup();
}

function patchSocketClass(): void {
  const SocketClass = new Proxy(real.Socket, {
    construct(target, args, newTarget: NewableFunction) {
      const host = hostCalling("new net.Socket()");
      if (host === null) return Reflect.construct(target, args, newTarget);
      const [options] = args as [object?];
      return socketsOf(host).create(options);
    },
    apply(target, thisArgument, args) {
      if (hostCalling("net.Socket()") === null) return Reflect.apply(target, thisArgument, args);
      return Reflect.construct(SocketClass, args);
    },
  });
  replace(net, "Socket", SocketClass);
  replace(net, "Stream", SocketClass);
}

function socketsOf(host: Host): HostSockets {
  if (host.sockets === null) throw new Error(`${host.name} is connected to no simulated network`);
  return host.sockets;
}

function connectOptions(args: readonly unknown[]): { readonly timeout?: unknown } {
  const [first] = args;
  return typeof first === "object" && first !== null ? first : {};
}

function patchLookup(): void {
  patch(dns, "lookup", "dns.lookup", (host, [name, ...rest]) => {
    const callback = rest.at(-1);
    const options = rest.length > 1 ? rest[0] : undefined;
    if (typeof callback !== "function") throw new TypeError("dns.lookup needs a callback");
    const answer = inCallersContext(() => {
      const [error, found] = resolve(host, String(name), options);
      if (error !== null) Reflect.apply(callback, undefined, [error]);
      else if (Array.isArray(found)) Reflect.apply(callback, undefined, [null, found]);
      else Reflect.apply(callback, undefined, [null, found.address, found.family]);
    });
    host.post("lookup", answer);
  });
  patch(dns.promises, "lookup", "dns.promises.lookup", (host, [name, options]) => {
    const outcome = Promise.withResolvers<unknown>();
    host.post("lookup", () => {
      const [error, found] = resolve(host, String(name), options);
      if (error === null) outcome.resolve(found);
      else outcome.reject(error);
    });
    return outcome.promise;
  });
  forbidQuestions(dns, "dns");
  forbidQuestions(dns.promises, "dns.promises");
  forbidQuestions(dns.Resolver.prototype, "dns.Resolver");
  forbidQuestions(dns.promises.Resolver.prototype, "dns.promises.Resolver");
}

/** What asks a real name server, of which the patched `lookup` needs none. */
function forbidQuestions(home: object, called: string): void {
  for (let owner = home; owner !== Object.prototype; owner = Object.getPrototypeOf(owner) as object) {
    for (const name of Object.getOwnPropertyNames(owner)) {
      if (/^(?:resolve|reverse|lookupService)/.test(name)) forbid(owner, name, `${called}.${name}`);
    }
  }
}

interface Found {
  readonly address: string;
  readonly family: 4;
}

function resolve(host: Host, name: string, options: unknown): [Error, null] | [null, Found | Found[]] {
  const address = socketsOf(host).resolve(name);
  if (address === undefined) return [unknownName(name), null];
  const all = typeof options === "object" && options !== null && "all" in options && options.all === true;
  const found: Found = { address, family: 4 };
  return [null, all ? [found] : found];
}
