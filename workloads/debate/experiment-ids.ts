/** The experiments' public names, in the order of the arguments. Apart, so that a help text needs nothing else. */
export const EXPERIMENT_IDS = [
  "tokens",
  "pause",
  "delay",
  "clock-jump",
  "clock-rate",
  "restart-delay",
  "topologies",
] as const;
export type ExperimentId = (typeof EXPERIMENT_IDS)[number];
