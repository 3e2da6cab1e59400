import type Dockerode from "dockerode";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { Notice } from "../core/system.ts";
import type { ClientProcess } from "./client-process.ts";
import { RUN_LABEL } from "./labels.ts";

/** Something in a container whose end may or may not be a fault's doing. */
export interface Mortal {
  readonly name: string;
  readonly containerId: string;
  /** Called once for each time it ended. Returns whether a fault did it. */
  isExpectedDeath(): boolean;
}

/**
 * Notices containers and clients that end without a fault having ended them, and an engine that goes away: its stream
 * of events ends with it.
 */
export async function watchForDeaths(
  engine: Dockerode,
  runId: string,
  mortals: readonly Mortal[],
  clients: readonly ClientProcess[],
  tell: (notice: Notice) => void,
): Promise<Disposable> {
  let over = false;
  const filters = JSON.stringify({ type: ["container"], event: ["die"], label: [`${RUN_LABEL}=${runId}`] });
  const events = (await engine.getEvents({ filters })) as Readable;
  const lines = createInterface({ input: events });
  // It repeats the errors of its input, which are dealt with below.
  lines.on("error", () => {});
  lines.on("line", (line) => {
    const { id } = JSON.parse(line) as { id?: string };
    const mortal = mortals.find(({ containerId }) => containerId === id);
    if (over || mortal === undefined || mortal.isExpectedDeath()) return;
    tell({ kind: "died", name: mortal.name, evidence: "its container ended although no fault had ended it" });
  });
  const gone = (): void => {
    if (!over) tell({ kind: "died", name: "the container engine", evidence: "its stream of events ended" });
    over = true;
  };
  events.on("error", gone).on("end", gone).on("close", gone);
  for (const client of clients) {
    client.onEnd((how) => {
      if (!over && client.expectedState !== "dead") tell({ kind: "died", name: client.name, evidence: how });
    });
  }
  return {
    [Symbol.dispose]: () => {
      over = true;
      events.destroy();
    },
  };
}
