/**
 * Options that Node must be started with, as a process or as a thread, so that each simulated client can have modules of its
 * own. They change nothing else.
 */
export const NODE_OPTIONS_FOR_MODULES: readonly string[] = [
  "--experimental-vm-modules",
  "--disable-warning=ExperimentalWarning",
];
