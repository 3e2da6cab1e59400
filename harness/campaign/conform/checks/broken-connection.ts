import { clientName } from "../../../core/topology.ts";
import type { ConformityCheck } from "../conformity.ts";
import { grantedInTime } from "../granted-in-time.ts";

/** Connections break; that is no reason for a client to end. */
export const brokenConnection: ConformityCheck = {
  name: "broken-connection",
  asks: "a connection that breaks neither ends the client's process nor keeps it from going on",
  async run(trial) {
    const { system } = trial;
    const grant = await trial.granted(0, { ttlMs: 1000 });
    for (const { name } of system.nodes) await system.network.reset({ from: clientName(0), to: name });
    await trial.sleep(3000);
    if ((await trial.client(0).state()) === "dead") return;
    await trial.release(0, grant);
    await grantedInTime(
      trial,
      () => trial.acquire(0, { ttlMs: 1000, waitMs: 5000 }),
      "after its connections were reset, acquire answered",
    );
  },
};
