import { kill, pid } from "node:process";

/** Takes its process with it. */
console.error("the last words of a lock");
kill(pid, "SIGKILL");
await new Promise(() => {});
