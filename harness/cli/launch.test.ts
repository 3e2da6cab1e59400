import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

test.each(["SIGTERM", "SIGINT", "SIGHUP"])(
  "%s while the program is loaded ends it with 130",
  { tags: "long" },
  async (signal) => {
    // Linux drops a signal that process 1 of a container does not listen to, so the default action will not do.
    const preload = `
    import { registerHooks } from "node:module";
    registerHooks({
      load(url, context, next) {
        if (url.includes("supervisor")) process.kill(process.pid, ${JSON.stringify(signal)});
        return next(url, context);
      },
    });`;
    const launcher = fileURLToPath(new URL("launch.js", import.meta.url));
    const words = [
      "--import",
      `data:text/javascript,${encodeURIComponent(preload)}`,
      launcher,
      "hunt",
      "--store=/nowhere",
    ];
    const child = spawn(process.execPath, words, { stdio: "ignore" });
    expect(await once(child, "exit")).toEqual([130, null]);
  },
);
