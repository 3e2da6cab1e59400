import { availableParallelism } from "node:os";
import { expect, test } from "vitest";
import { usableCores } from "./usable-cores.ts";

const V1 = "9:name=systemd:/docker/1\n2:cpuset:/docker/1\n1:cpu,cpuacct:/docker/1\n0::/docker/1\n";
const files = (quota: string, folder: string) => (path: string) =>
  ({
    "/proc/self/cgroup": V1,
    [`/sys/fs/cgroup/cpu,cpuacct${folder}/cpu.cfs_quota_us`]: quota,
    [`/sys/fs/cgroup/cpu,cpuacct${folder}/cpu.cfs_period_us`]: "100000\n",
  })[path] ?? "";

test.each<[string, string, string, number]>([
  ["two of eight cores", "200000\n", "", 2],
  ["a core and a half: what is begun is no core", "150000\n", "", 1],
  ["half a core: one all the same", "50000\n", "", 1],
  ["more than there are", "1600000\n", "", 8],
  ["no quota", "-1\n", "", 8],
  ["a group of the machine itself", "300000\n", "/docker/1", 3],
])("the quota of a control group of version 1: %s", (_, quota, folder, cores) => {
  expect(usableCores(8, files(quota, folder))).toBe(cores);
});

test("without control groups of version 1, what Node says", () => {
  expect(usableCores(8, () => "")).toBe(8);
  expect(usableCores(8, (path) => (path === "/proc/self/cgroup" ? "0::/\n" : ""))).toBe(8);
  expect(usableCores()).toBeLessThanOrEqual(availableParallelism());
});
