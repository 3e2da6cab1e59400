/**
 * Whether an interruption must wait for this process: it has started containers or clients, which it must remove, or it has
 * found a violation, which it must keep and tell. Both take time.
 */
export const cleanup = { isDue: false };
