import { sendHello } from "./hello.ts";
import { receiveInfo } from "./info-reply.ts";
import type { Instance } from "../instance.ts";
import { sendPing } from "./ping.ts";
import type { Sentinel } from "../sentinel.ts";

const MAX_PENDING_COMMANDS = 100;
/** The interval between two INFOs of a replica whose master is down or being replaced. */
const URGENT_INFO_MS = 1000;

/** Sends INFO, PING and hello where they are due. */
export function sendPeriodicCommands(sentinel: Sentinel, instance: Instance): void {
  const { link } = instance;
  const { nowMs, timing } = sentinel;
  if (link.isDisconnected || link.pendingCommands >= MAX_PENDING_COMMANDS) return;
  if (
    instance.kind !== "sentinel" &&
    (instance.infoAtMs === 0 || nowMs - instance.infoAtMs > infoPeriodMs(sentinel, instance))
  ) {
    link.request(["INFO"], (reply) => receiveInfo(sentinel, instance, reply));
  }
  const pingMs = Math.min(instance.downAfterMs, timing.pingMs);
  // In whole milliseconds, as the real one divides.
  if (nowMs - link.pongAtMs > pingMs && nowMs - link.pingedAtMs > Math.floor(pingMs / 2)) sendPing(sentinel, instance);
  if (nowMs - instance.helloSentAtMs > timing.publishMs) sendHello(sentinel, instance);
}

function infoPeriodMs(sentinel: Sentinel, instance: Instance): number {
  if (instance.kind !== "slave") return sentinel.timing.infoMs;
  const { master, masterLinkDownMs } = instance;
  const isUrgent = master.isObjectivelyDown || master.isFailingOver || masterLinkDownMs !== 0;
  return isUrgent ? URGENT_INFO_MS : sentinel.timing.infoMs;
}
