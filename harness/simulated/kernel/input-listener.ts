/**
 * Receives what reaches each host, in order: what a host does depends on its inputs and its clock alone. Times are true
 * time, in integer microseconds since the kernel began.
 */
export interface InputListener {
  /** The run begins: all clients are connected. Comes again if a run is done again: what came before does not count. */
  onBegin(atUs: number): void;
  /** An event of this host begins; `world` is the simulation itself. */
  onInput(host: string, label: string, atUs: number): void;
  /** The host reads these bytes, in its last event. */
  onBytes(host: string, bytes: Uint8Array): void;
  /** The host was paused, resumed, killed or started. */
  onState(host: string, state: "running" | "paused" | "dead"): void;
}
