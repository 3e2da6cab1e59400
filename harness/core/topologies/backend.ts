/**
 * Where plans run: in a deterministic simulation; with client processes on the simulation's servers in real time; or on
 * real servers in containers.
 */
export const BACKENDS = ["simulated", "live", "containers"] as const;
export type Backend = (typeof BACKENDS)[number];

/** The backends on which whole tables and the catalogue are run. */
export const TABLE_BACKENDS = ["simulated", "containers"] as const satisfies readonly Backend[];
export type TableBackend = (typeof TABLE_BACKENDS)[number];
