import { lockstorm } from "lockstorm/vitest";

lockstorm("the lock of the tutorial keeps its word", { lock: "./broken-driver.ts" });

lockstorm("the fixed lock keeps its word", { lock: "./mended-driver.ts" });

// A function is for a lock that plain Node cannot load: aliases, transforms. It runs in the test's own process.
lockstorm("so it does in this process", { lock: () => import("./mended-driver.ts"), runs: 100 });
