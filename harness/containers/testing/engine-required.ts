import { describe, inject } from "vitest";

/** `describe` for tests in containers: they are skipped, and `test-engine.ts` says so, where there is no engine. */
export const describeWithEngine = describe.skipIf(!inject("engine"));
