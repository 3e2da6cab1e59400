import type Dockerode from "dockerode";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { Notice } from "../../core/system.ts";
import type { ClientProcess } from "../clients/client-process.ts";
import { RUN_LABEL } from "../cleanup/labels.ts";

/** A container whose death a fault may have caused. */
export interface MonitoredContainer {
  readonly name: string;
  readonly containerId: string;
  /** Called once for each death. Returns whether a fault caused it. */
  isExpectedDeath(): boolean;
}

/**
 * Reports containers and clients that die although no fault killed them, and an engine that goes away: its stream of
 * events ends.
 */
export async function watchForDeaths(
  engine: Dockerode,
  runId: string,
  containers: readonly MonitoredContainer[],
  clients: readonly ClientProcess[],
  notify: (notice: Notice) => void,
): Promise<Disposable> {
  let over = false;
  const filters = JSON.stringify({ type: ["container"], event: ["die"], label: [`${RUN_LABEL}=${runId}`] });
  const events = (await engine.getEvents({ filters })) as Readable;
  const lines = createInterface({ input: events });
  // It repeats the errors of its input, which are handled below.
  lines.on("error", () => {});
  lines.on("line", (line) => {
    const { id } = JSON.parse(line) as { id?: string };
    const container = containers.find(({ containerId }) => containerId === id);
    if (over || container === undefined || container.isExpectedDeath()) return;
    notify({ kind: "died", name: container.name, evidence: "its container ended although no fault had ended it" });
  });
  const gone = (): void => {
    if (!over) notify({ kind: "died", name: "the container engine", evidence: "its stream of events ended" });
    over = true;
  };
  events.on("error", gone).on("end", gone).on("close", gone);
  const processes = watchClients(clients, notify);
  return {
    [Symbol.dispose]: () => {
      over = true;
      processes[Symbol.dispose]();
      events.destroy();
    },
  };
}

/** Reports clients that die although no fault killed them. */
export function watchClients(clients: readonly ClientProcess[], notify: (notice: Notice) => void): Disposable {
  let over = false;
  for (const client of clients) {
    client.onEnd((how, crash) => {
      if (over || client.expectedState === "dead") return;
      const { name } = client;
      notify(crash === undefined ? { kind: "died", name, evidence: how } : { kind: "crashed", name, ...crash });
    });
  }
  return { [Symbol.dispose]: () => void (over = true) };
}
