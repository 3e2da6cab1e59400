import type { Evidence } from "../../core/system.ts";
import { lookFor } from "../engine/await-condition.ts";
import type { ContainerNode } from "./container-node.ts";

/** A dropped packet shows in the counter of its rule at once; the probe's first packet is sent within milliseconds. */
const EVIDENCE_DEADLINE_MS = 1_500;

/**
 * Drops every packet of one direction between two nodes: established connections hang, and continue when it is healed.
 * The receiving node drops, and then the sending one too, so that the cut outlasts a restart of either. Sends one
 * packet, and waits until it was counted as dropped. A node that does not run drops packets once it does.
 */
export async function cutNodes(from: ContainerNode, to: ContainerNode): Promise<Evidence> {
  const received = await to.dropPackets("INPUT", from.networkAddress);
  const seenThere = received ? await seeDrops(from, to, () => to.droppedPackets("INPUT", from.networkAddress)) : 0;
  const sent = await from.dropPackets("OUTPUT", to.networkAddress);
  if (seenThere > 0) return { observed: true, detail: `${to.name} dropped ${packets(seenThere)} from ${from.name}` };
  const seenHere = sent ? await seeDrops(from, to, () => from.droppedPackets("OUTPUT", to.networkAddress)) : 0;
  if (seenHere > 0) return { observed: true, detail: `${from.name} dropped ${packets(seenHere)} to ${to.name}` };
  return { observed: false, detail: `no packet from ${from.name} to ${to.name} was seen` };
}

/** Undoes `cutNodes`. */
export async function healNodes(from: ContainerNode, to: ContainerNode): Promise<Evidence> {
  await from.acceptPackets("OUTPUT", to.networkAddress);
  await to.acceptPackets("INPUT", from.networkAddress);
  return { observed: true, detail: `${to.name} takes packets from ${from.name} again` };
}

/** Makes `from` send a packet to `to`, and returns the number that `count` reaches; 0 when it counted none. */
async function seeDrops(from: ContainerNode, to: ContainerNode, count: () => Promise<number>): Promise<number> {
  const probe = `timeout 1 bash -c ': </dev/tcp/${to.networkAddress}/${to.port}' >/dev/null 2>&1 &`;
  if (!(await from.runInside(probe))) return 0;
  const seen = await lookFor(EVIDENCE_DEADLINE_MS, async () => {
    const dropped = await count();
    return dropped > 0 ? dropped : undefined;
  });
  return seen ?? 0;
}

function packets(count: number): string {
  return count === 1 ? "1 packet" : `${count} packets`;
}
