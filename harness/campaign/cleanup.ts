/** Whether this process has started containers or clients, which it must remove. Removing them takes time. */
export const cleanup = { isDue: false };
