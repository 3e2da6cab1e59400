import { announce } from "../events.ts";
import type { Instance } from "../instance.ts";
import type { Sentinel } from "../sentinel.ts";

/** Closes connections that have fallen silent, and judges whether an instance is down. */
export function checkSubjectivelyDown(sentinel: Sentinel, instance: Instance): void {
  const silentMs = silence(sentinel, instance);
  closeSilent(sentinel, instance);
  const isDown = silentMs > instance.downAfterMs || isWrongRole(sentinel, instance) || isRebooting(sentinel, instance);
  if (isDown === instance.isDown) return;
  announce(sentinel, isDown ? "+sdown" : "-sdown", instance);
  instance.isDown = isDown;
  if (isDown) instance.downSinceMs = sentinel.nowMs;
  else instance.scriptKillSent = false;
}

/** How long a PING has waited for a good answer, or, without a connection, how long there has been none. */
function silence({ nowMs }: Sentinel, { link }: Instance): number {
  if (link.pingDueSinceMs !== 0) return nowMs - link.pingDueSinceMs;
  return link.isDisconnected ? nowMs - link.availableAtMs : 0;
}

function closeSilent({ nowMs, timing }: Sentinel, { link, downAfterMs }: Instance): void {
  const halfMs = Math.floor(downAfterMs / 2);
  if (
    nowMs - link.commandSinceMs > timing.minLinkReconnectMs &&
    link.pingDueSinceMs !== 0 &&
    nowMs - link.pingDueSinceMs > halfMs &&
    nowMs - link.pongAtMs > halfMs
  ) {
    link.closeCommand();
  }
  // A Sentinel hears its own hellos, so a living subscription is never silent for long.
  if (nowMs - link.pubsubSinceMs > timing.minLinkReconnectMs && nowMs - link.pubsubActiveAtMs > timing.publishMs * 3) {
    link.closePubsub();
  }
}

/** A master that reports for long that it is a replica is of no use. */
function isWrongRole({ nowMs, timing }: Sentinel, instance: Instance): boolean {
  return (
    instance.kind === "master" &&
    instance.reportedRole === "slave" &&
    nowMs - instance.reportedRoleSinceMs > instance.downAfterMs + timing.infoMs * 2
  );
}

function isRebooting({ nowMs }: Sentinel, instance: Instance): boolean {
  return (
    instance.kind === "master" && instance.isRebooting && nowMs - instance.rebootingSinceMs > instance.rebootDownAfterMs
  );
}
