// @module-tag long
import { describe } from "vitest";
import { describeWithEngine } from "../containers/testing/engine-required.ts";
import { testScenario } from "./testing/scenario-on-containers.ts";

/** The scenarios that are shown on real servers first; `reproduce --all --backend containers` shows the others. */
const SLUGS = ["plain-del", "crash-no-persist", "async-failover", "node-clock-jump", "bad-elapsed-check"];

describeWithEngine("on real servers", () => {
  describe.each(SLUGS)("%s", testScenario);
});
