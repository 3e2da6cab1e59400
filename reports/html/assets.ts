import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";

/**
 * The page's own program and its style. They are files of their own, because they are another program, for another
 * platform; they are read once, when this module is, as an import would. Reports stay functions of their data.
 */
export const STYLE = read("style.css");

/** The modules of `browser`, each after those that it imports. */
const MODULES = [
  "time-view",
  "run-model",
  "event-filter",
  "lane-layout",
  "palette",
  "scene",
  "paint-lane",
  "paint-timeline",
  "canvas-sheet",
  "overview-strip",
  "timeline-view",
  "item-details",
  "event-table",
  "timeline-keys",
  "run-view",
  "main",
] as const;

/** All of them as one script: a page that needs no server cannot import. */
export const SCRIPT = MODULES.map(moduleText).join("\n");

function moduleText(name: string): string {
  const source = import.meta.url.endsWith(".ts")
    ? withoutTypes(read(`browser/${name}.ts`))
    : read(`browser/${name}.js`);
  return source
    .replaceAll(/^import\b[^;]*?from "[^"]+";$/gm, "")
    .replaceAll(/^export (?=(?:async )?(?:function|class|const|let) )/gm, "")
    .replaceAll(/^export \{[^}]*\};?$/gm, "")
    .replaceAll(/^\/\/# sourceMappingURL=.*$/gm, "")
    .replaceAll("</script", "<\\/script");
}

/**
 * From a checkout the modules are TypeScript. Node strips their types as it does for every other module, but says on
 * standard error that the function for it is experimental, which is not for a user of this program to read.
 */
function withoutTypes(source: string): string {
  // oxlint-disable-next-line typescript/unbound-method -- put back as it was, not called
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), "utf8");
}
