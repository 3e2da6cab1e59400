import { masterOf, type Instance } from "./instance.ts";
import type { Sentinel } from "./sentinel.ts";

/** Publishes an event about an instance: its kind, name and address, those of its master, then `more`. */
export function announce(sentinel: Sentinel, channel: string, about: Instance, more = ""): void {
  announcePlain(sentinel, channel, describeInstance(about) + more);
}

/** Publishes an event whose message names no instance in the usual way. */
export function announcePlain(sentinel: Sentinel, channel: string, message: string): void {
  sentinel.environment.announce(channel, message);
}

function describeInstance(instance: Instance): string {
  const { kind, name, address } = instance;
  const self = `${kind} ${name} ${address.host} ${address.port}`;
  if (kind === "master") return self;
  const master = masterOf(instance);
  return `${self} @ ${master.name} ${master.address.host} ${master.address.port}`;
}
