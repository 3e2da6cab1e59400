import { announce } from "../events.ts";
import type { MasterInstance, ReplicaInstance } from "../instance.ts";
import { addReplica } from "../failover/master-switch.ts";
import type { ReceivedReply } from "../reply-parser.ts";
import { followRole } from "../failover/role-change.ts";
import type { Sentinel } from "../sentinel.ts";

type DataInstance = MasterInstance | ReplicaInstance;

const RUN_ID_LENGTH = 40;

/** An answer to INFO: records the node's report, and acts on its role. */
export function receiveInfo(sentinel: Sentinel, instance: DataInstance, reply: ReceivedReply): void {
  if (reply.type !== "bulk") return;
  instance.info = reply.text;
  // Not in the answer when the link is up.
  instance.masterLinkDownMs = 0;
  let role: "master" | "slave" | undefined;
  for (const line of reply.text.split("\r\n")) {
    const colon = line.indexOf(":");
    const [field, value] = [line.slice(0, colon), line.slice(colon + 1)];
    if (field === "run_id") learnRunId(sentinel, instance, value.slice(0, RUN_ID_LENGTH));
    else if (field === "role") role = value === "master" ? "master" : "slave";
    else if (field === "master_link_down_since_seconds") instance.masterLinkDownMs = Number(value) * 1000;
    else if (instance.kind === "master" && /^slave\d/.test(field)) learnReplica(sentinel, instance, value);
    else if (role === "slave") learnReplication(sentinel, instance, field, value);
  }
  instance.infoAtMs = sentinel.nowMs;
  if (role !== undefined) followRole(sentinel, instance, role);
}

function learnRunId(sentinel: Sentinel, instance: DataInstance, runId: string): void {
  if (runId.length < RUN_ID_LENGTH) return;
  if (instance.runId !== undefined && instance.runId !== runId) {
    announce(sentinel, "+reboot", instance);
    if (instance.kind === "master" && instance.rebootDownAfterMs !== 0) {
      instance.isRebooting = true;
      instance.rebootingSinceMs = sentinel.nowMs;
    }
  }
  instance.runId = runId;
}

/** A line like `slave0:ip=10.0.0.2,port=6379,state=online,...` of a master. */
function learnReplica(sentinel: Sentinel, master: MasterInstance, value: string): void {
  const fields = new Map(value.split(",").map((part) => part.split("=") as [string, string | undefined]));
  const [host, port] = [fields.get("ip"), Number(fields.get("port"))];
  if (host === undefined || !Number.isInteger(port)) return;
  const replica = addReplica(sentinel, master, { host, port });
  if (replica === undefined) return;
  announce(sentinel, "+slave", replica);
  sentinel.save();
}

/** A line of a node that is a replica, about its replication. */
function learnReplication(sentinel: Sentinel, instance: DataInstance, field: string, value: string): void {
  const { reportedMaster } = instance;
  switch (field) {
    case "master_host":
      if (reportedMaster.host?.toLowerCase() !== value.toLowerCase()) instance.masterChangedAtMs = sentinel.nowMs;
      reportedMaster.host = value;
      break;
    case "master_port":
      if (reportedMaster.port !== Number(value)) instance.masterChangedAtMs = sentinel.nowMs;
      reportedMaster.port = Number(value);
      break;
    case "master_link_status":
      instance.isMasterLinkUp = value === "up";
      break;
    case "slave_priority":
      instance.priority = Number(value);
      break;
    case "slave_repl_offset":
      instance.offset = Number(value);
      break;
    case "replica_announced":
      instance.isAnnounced = value !== "0";
      break;
    default:
      break;
  }
}
