import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { SCRIPT, STORE_SCRIPT } from "./assets.ts";

/** The names that a module imports for use when it runs, with the modules that it imports them from, and theirs. */
function imported(module: URL, seen = new Set<string>()): string[] {
  if (seen.has(module.href)) return [];
  seen.add(module.href);
  const statements = readFileSync(module, "utf8").matchAll(/^import \{([^}]*)\} from "(\.[^"]+)";$/gm);
  return [...statements].flatMap(([, names = "", path = ""]) => {
    const values = names.split(",").map((name) => name.trim());
    const used = values.filter((name) => name !== "" && !name.startsWith("type "));
    return used.length === 0 ? [] : [...used, ...imported(new URL(path, module), seen)];
  });
}

test.each([
  ["main", SCRIPT],
  ["store/store-live", STORE_SCRIPT],
])("the script of a page has all that %s imports", (name, script) => {
  const names = imported(new URL(`browser/${name}.ts`, import.meta.url));
  expect(names.length).toBeGreaterThan(5);
  const isMissing = (imports: string): boolean =>
    !new RegExp(`^(?:async )?(?:function|class|const|let) ${imports}\\b`, "m").test(script);
  expect(names.filter(isMissing)).toEqual([]);
});
