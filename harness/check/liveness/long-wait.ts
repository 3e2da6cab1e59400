/** Without a fault, what takes longer than this is slow: requests and replies take a few milliseconds, and locks poll more often. */
export const LONG_WAIT_MS = 500;
