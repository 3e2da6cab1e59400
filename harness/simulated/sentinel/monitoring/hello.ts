import { announce, announcePlain } from "../events.ts";
import { masterOf, PeerSentinel, type Instance, type MasterInstance } from "../instance.ts";
import { switchAddress } from "../failover/master-switch.ts";
import { sameAddress, type NodeAddress } from "../node-address.ts";
import type { ReceivedReply } from "../reply-parser.ts";
import type { Sentinel } from "../sentinel.ts";

export const HELLO_CHANNEL = "__sentinel__:hello";

/** A hello message: its sender, and the address at which the sender believes the master to be. */
interface Hello {
  readonly sender: NodeAddress;
  readonly id: string;
  readonly currentEpoch: number;
  readonly masterName: string;
  readonly master: NodeAddress;
  readonly configEpoch: number;
}

/** Publishes a hello at a node, or sends it to another Sentinel. */
export function sendHello(sentinel: Sentinel, instance: Instance): void {
  const { link } = instance;
  if (link.isDisconnected) return;
  const master = masterOf(instance);
  const { host, port } = master.currentAddress;
  const fields = [
    sentinel.environment.host,
    sentinel.port,
    sentinel.id,
    sentinel.currentEpoch,
    master.name,
    host,
    port,
    master.configEpoch,
  ];
  link.request(["PUBLISH", HELLO_CHANNEL, fields.join(",")], (reply) => {
    // After an error the next timer tries again.
    if (reply.type !== "error") instance.helloSentAtMs = sentinel.nowMs;
  });
}

/** Makes the next timer send hellos to everybody, because there is news. */
export function hastenHellos(sentinel: Sentinel, master: MasterInstance): void {
  const agoMs = sentinel.timing.publishMs + 1;
  for (const instance of [master, ...master.replicas.values(), ...master.sentinels.values()]) {
    if (instance.helloSentAtMs >= agoMs) instance.helloSentAtMs -= agoMs;
  }
}

/** A message came over the subscription at a node. */
export function receiveHello(sentinel: Sentinel, instance: Instance, reply: ReceivedReply): void {
  instance.link.pubsubActiveAtMs = sentinel.nowMs;
  if (reply.type !== "array" || reply.items.length !== 3) return;
  const [kind, channel, message] = reply.items;
  if (kind?.type !== "bulk" || channel?.type !== "bulk" || message?.type !== "bulk") return;
  if (kind.text !== "message" || message.text.includes(sentinel.id)) return;
  processHello(sentinel, message.text);
}

/** Learns from a hello: another Sentinel, a newer epoch, a newer configuration of the master. */
export function processHello(sentinel: Sentinel, message: string): void {
  const hello = parseHello(message);
  if (hello === undefined) return;
  const master = sentinel.masters.get(hello.masterName);
  if (master === undefined) return;
  const peer = findPeer(master, hello) ?? addPeer(sentinel, master, hello);
  if (hello.currentEpoch > sentinel.currentEpoch) {
    sentinel.currentEpoch = hello.currentEpoch;
    sentinel.save();
    announcePlain(sentinel, "+new-epoch", String(sentinel.currentEpoch));
  }
  if (hello.configEpoch > master.configEpoch) adoptConfiguration(sentinel, master, peer, hello);
  peer.helloReceivedAtMs = sentinel.nowMs;
}

function parseHello(message: string): Hello | undefined {
  const fields = message.split(",");
  if (fields.length !== 8) return undefined;
  const [host = "", port, id = "", currentEpoch, masterName = "", masterHost = "", masterPort, configEpoch] = fields;
  return {
    sender: { host, port: Number(port) },
    id,
    currentEpoch: Number(currentEpoch),
    masterName,
    master: { host: masterHost, port: Number(masterPort) },
    configEpoch: Number(configEpoch),
  };
}

function findPeer(master: MasterInstance, { id, sender }: Hello): PeerSentinel | undefined {
  const peer = master.sentinels.get(id);
  return peer !== undefined && sameAddress(peer.address, sender) ? peer : undefined;
}

/** Adds a Sentinel that is new, or that has moved. A Sentinel whose address it has taken is forgotten. */
function addPeer(sentinel: Sentinel, master: MasterInstance, { id, sender }: Hello): PeerSentinel {
  const moved = removePeer(master, id);
  if (moved) announce(sentinel, "+sentinel-address-switch", master, ` ip ${sender.host} port ${sender.port} for ${id}`);
  else {
    const other = [...master.sentinels.values()].find(({ address }) => sameAddress(address, sender));
    if (other !== undefined) {
      announce(sentinel, "+sentinel-invalid-addr", other);
      for (const each of sentinel.masters.values()) removePeer(each, other.name);
    }
  }
  const peer = new PeerSentinel(master, id, sender, sentinel.nowMs);
  master.sentinels.set(id, peer);
  if (!moved) announce(sentinel, "+sentinel", peer);
  sentinel.save();
  return peer;
}

function removePeer(master: MasterInstance, id: string): boolean {
  master.sentinels.get(id)?.link.close();
  return master.sentinels.delete(id);
}

function adoptConfiguration(sentinel: Sentinel, master: MasterInstance, peer: PeerSentinel, hello: Hello): void {
  master.configEpoch = hello.configEpoch;
  if (sameAddress(hello.master, master.address)) return;
  announce(sentinel, "+config-update-from", peer);
  const { host, port } = master.address;
  const { master: next } = hello;
  announcePlain(sentinel, "+switch-master", `${master.name} ${host} ${port} ${next.host} ${next.port}`);
  switchAddress(sentinel, master, next);
}
