import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";

/**
 * The page's own program and its style. They are separate files, because they are another program for another platform.
 * They are read once, when this module is loaded, as an import would be. Reports stay functions of their data.
 */
export const STYLE = read("style.css");

const IN_FIGURES = "../../../harness/core/words/in-figures";
const SHELL_WORD = "../../../harness/core/words/shell-word";

/** The modules of `browser`, each after those that it imports. */
const MODULES = [
  IN_FIGURES,
  "../../ms-words",
  "../../../harness/history/holds/endless-lease",
  "time-view",
  "run-model",
  "event-filter",
  "lane-layout",
  "palette",
  "beliefs/spans-at",
  "beliefs/beliefs-at",
  "beliefs/belief-panel",
  "scene",
  "distinct-items",
  "merged-bars",
  "paint-lane",
  "paint-timeline",
  "canvas-sheet",
  "overview-strip",
  "timeline-view",
  "item-details",
  "event-table",
  "span-figures",
  "figures-table",
  "timeline-keys",
  "page-address",
  "story-steps",
  "run-view",
  "theme",
  "main",
] as const;

/** All modules as one script: a page that needs no server cannot import. */
export const SCRIPT = MODULES.map(moduleText).join("\n");

/** The script of a page whose only program is the choice of the theme. */
export const THEME_SCRIPT = `${moduleText("theme")}\nstartTheme();`;

/** The script of the page that lists a store. */
export const STORE_SCRIPT = [
  ...[IN_FIGURES, SHELL_WORD, "theme", "store/store-filter", "store/store-runs", "store/store-live"].map(moduleText),
  "startTheme();",
  "void startStore();",
].join("\n");

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
 * In a checkout the modules are TypeScript. Node strips their types as it does for every other module, but warns on
 * standard error that the function for it is experimental. That warning is of no use to a user of this program.
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
