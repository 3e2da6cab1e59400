import type { Instance } from "../instance.ts";
import type { ReceivedReply } from "../reply-parser.ts";
import type { Sentinel } from "../sentinel.ts";

/** Answers that show that an instance is alive, though perhaps of little use. */
const GOOD_ANSWERS = ["PONG", "LOADING", "MASTERDOWN"];

/** Sends a PING. The wait for an answer counts from the first PING without a good answer. */
export function sendPing(sentinel: Sentinel, instance: Instance): void {
  const { link } = instance;
  if (!link.request(["PING"], (reply) => receivePong(sentinel, instance, reply))) return;
  link.pingedAtMs = sentinel.nowMs;
  if (link.pingDueSinceMs === 0) link.pingDueSinceMs = link.pingedAtMs;
}

function receivePong(sentinel: Sentinel, instance: Instance, reply: ReceivedReply): void {
  const { link } = instance;
  if (reply.type === "status" || reply.type === "error") {
    const { text } = reply;
    if (GOOD_ANSWERS.some((answer) => text.startsWith(answer))) {
      link.availableAtMs = sentinel.nowMs;
      link.pingDueSinceMs = 0;
      if (instance.kind === "master" && text.startsWith("PONG")) instance.isRebooting = false;
    } else if (text.startsWith("BUSY") && instance.isDown && !instance.scriptKillSent) {
      link.request(["SCRIPT", "KILL"]);
      instance.scriptKillSent = true;
    }
  }
  link.pongAtMs = sentinel.nowMs;
}
