/** What `lockstorm debate` measures with when nothing else is asked for, and the page of documentation shows. */
export const DEBATE_DEFAULTS = { seed: 1, runs: 16 } as const;
/** The same of `lockstorm headline`; minutes of each lock and each resource. */
export const HEADLINE_DEFAULTS = { seed: 1, minutes: 6 } as const;
