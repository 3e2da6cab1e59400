import { expect, test } from "vitest";
import { CONTENDERS } from "../../../workloads/headline-contenders.ts";
import { installedContenders } from "./installed-contenders.ts";

const LIBRARIES = ["redlock4", "redlock5", "redis-semaphore"];

test("where all packages are installed, all locks are measured", async () => {
  expect(await installedContenders()).toEqual({ contenders: CONTENDERS, notInstalled: [] });
  expect((await installedContenders(["single", "redlock4"])).contenders).toHaveLength(2);
});

test("libraries that are not installed are left out, and named", async () => {
  const { contenders, notInstalled } = await installedContenders(undefined, ({ name }) => !LIBRARIES.includes(name));
  expect(contenders.map(({ lock }) => lock)).toEqual(["single", "watchdog", "fenced", "reference", "redlock"]);
  expect(notInstalled).toHaveLength(LIBRARIES.length);
  for (const name of notInstalled) expect(name).toMatch(/^redlock|^redis-semaphore/);
});
