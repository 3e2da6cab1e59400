import type { Flag } from "../command.ts";

/** Each needs a network of its own, and there are 256. */
export const MOST_THREADS = 64;

/** The flag that says how many plans run at a time. */
export const threadsFlag = {
  threads: {
    value: "number",
    help: "how many plans run at a time on containers, each on servers of its own (default: by cores and memory)",
  },
} satisfies Record<string, Flag>;
