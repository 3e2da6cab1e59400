/**
 * Whether an interruption must wait for this process: it has started containers or clients, which it must remove, or it has
 * something to keep and tell: a violation, the cells of a table, what a measurement has found. All of it takes time.
 */
export const cleanup = { isDue: false };
