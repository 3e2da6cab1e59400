import { runFailover, startFailoverIfNeeded } from "./failover.ts";
import type { Instance, MasterInstance } from "./instance.ts";
import { switchToPromoted } from "./master-switch.ts";
import { askOtherSentinels, checkObjectivelyDown } from "./objectively-down.ts";
import { sendPeriodicCommands } from "./periodic-commands.ts";
import { reconnect } from "./reconnect.ts";
import type { Sentinel } from "./sentinel.ts";
import { checkSubjectivelyDown } from "./subjectively-down.ts";
import { staysTilted } from "./tilt.ts";

/** What the timer does: watches every instance, judges it, and acts for the masters. */
export function handleInstances(sentinel: Sentinel): void {
  let switching: MasterInstance | undefined;
  for (const master of sentinel.masters.values()) {
    handle(sentinel, master);
    for (const replica of master.replicas.values()) handle(sentinel, replica);
    for (const peer of master.sentinels.values()) handle(sentinel, peer);
    if (master.failoverState === "update_config") switching = master;
  }
  if (switching !== undefined) switchToPromoted(sentinel, switching);
}

function handle(sentinel: Sentinel, instance: Instance): void {
  reconnect(sentinel, instance);
  sendPeriodicCommands(sentinel, instance);
  if (staysTilted(sentinel)) return;
  checkSubjectivelyDown(sentinel, instance);
  if (instance.kind !== "master") return;
  checkObjectivelyDown(sentinel, instance);
  if (startFailoverIfNeeded(sentinel, instance)) askOtherSentinels(sentinel, instance, { atOnce: true });
  runFailover(sentinel, instance);
  askOtherSentinels(sentinel, instance, { atOnce: false });
}
