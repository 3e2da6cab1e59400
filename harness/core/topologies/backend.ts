/** Where plans run: in a deterministic simulation, or on real servers in containers. */
export const BACKENDS = ["simulated", "containers"] as const;
export type Backend = (typeof BACKENDS)[number];
