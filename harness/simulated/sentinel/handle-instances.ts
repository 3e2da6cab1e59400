import { runFailover, startFailoverIfNeeded } from "./failover/failover.ts";
import type { Instance, MasterInstance } from "./instance.ts";
import { switchToPromoted } from "./failover/master-switch.ts";
import { askOtherSentinels, checkObjectivelyDown } from "./failover/objectively-down.ts";
import { sendPeriodicCommands } from "./monitoring/periodic-commands.ts";
import { reconnect } from "./monitoring/reconnect.ts";
import type { Sentinel } from "./sentinel.ts";
import { checkSubjectivelyDown } from "./monitoring/subjectively-down.ts";
import { staysTilted } from "./monitoring/tilt.ts";

/** The work of the timer: watches every instance, judges it, and acts for the masters. */
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
