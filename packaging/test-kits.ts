/**
 * `npm run test:kits`: runs the tests of the kits of other languages in their own test runners, with the packages that their
 * locks need, in folders that are removed afterwards. `npm run test:kits -- python` runs those of one.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LANGUAGES, type Language } from "../lock-impl/workers/workers.ts";
import { testGoKit } from "./kits/go.ts";
import { testJavaKit } from "./kits/java.ts";
import { testPythonKit } from "./kits/python.ts";
import { step } from "./steps.ts";

const KITS: Readonly<Record<Language, (kit: string, area: string) => Promise<void>>> = {
  go: testGoKit,
  java: testJavaKit,
  python: testPythonKit,
};

const kits = fileURLToPath(new URL("../kits", import.meta.url));
const area = mkdtempSync(join(tmpdir(), "lockstorm-kits-"));
const asked = process.argv.slice(2);

try {
  for (const language of LANGUAGES) {
    if (asked.length > 0 && !asked.includes(language)) continue;
    await step(`tests the kit of ${language}`, () => KITS[language](join(kits, language), area));
  }
} finally {
  rmSync(area, { recursive: true });
}
