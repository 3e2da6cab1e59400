/** The defaults of `lockstorm debate`, and the settings behind the page of documentation. */
export const DEBATE_DEFAULTS = { seed: 1, runs: 16 } as const;
/** The same for `lockstorm headline`; minutes for each lock and each resource. */
export const HEADLINE_DEFAULTS = { seed: 1, minutes: 6 } as const;
