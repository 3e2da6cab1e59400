import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { showsHyperlinks } from "./hyperlink.ts";
import { linkTo, print, useDevice } from "../terminal.ts";
import { runMain } from "../testing/run-main.ts";

test.each([
  [{ TERM_PROGRAM: "WezTerm" }, true],
  [{ TERM: "xterm-kitty" }, true],
  [{ VTE_VERSION: "7402" }, true],
  [{ VTE_VERSION: "5000" }, false],
  [{ WT_SESSION: "1" }, true],
  [{ TERM: "xterm-256color" }, false],
  [{ TERM: "dumb", VTE_VERSION: "7402" }, false],
  [{ TERM_PROGRAM: "vscode", CI: "true" }, false],
  [{ TERM_PROGRAM: "vscode", FORCE_HYPERLINK: "0" }, false],
  [{ FORCE_HYPERLINK: "1" }, true],
])("%j: %s", (environment, shows) => {
  expect(showsHyperlinks(environment)).toBe(shows);
});

test(
  "the report is a link on a terminal that has links, and plain text in a pipe, even if links are forced",
  { tags: "long" },
  async () => {
    const cwd = mkdtempSync(join(tmpdir(), "lockstorm-link-"));
    try {
      const words = ["reproduce", "async-failover"];
      const env = { FORCE_HYPERLINK: "1", FORCE_COLOR: "1" };
      const onTerminal = await runMain(words, { cwd, env, columns: 100 });
      expect(onTerminal.stdout).toMatch(
        // oxlint-disable-next-line no-control-regex -- an escape begins with one
        /\u001b\]8;;file:\/\/\/[^\u001b]*report\.html\u001b\\\.lockstorm\/runs\/[^\u001b]*report\.html\u001b\]8;;\u001b\\/,
      );
      expect((await runMain(words, { cwd, env })).stdout).not.toContain("\u001b]8");
    } finally {
      rmSync(cwd, { recursive: true });
    }
  },
);

test("a link that somebody else writes loses its escapes", () => {
  let written = "";
  using _ = useDevice({
    isTerminal: () => true,
    columns: 80,
    write: (_stream, bytes) => ((written += Buffer.from(bytes).toString()), bytes.length),
  });
  process.env["FORCE_HYPERLINK"] = "1";
  try {
    const own = linkTo("own.html");
    print(`${own} \u001b]8;;https://example.org\u001b\\own.html\u001b]8;;\u001b\\`);
    expect(written.startsWith(own)).toBe(true);
    expect(written.slice(own.length)).not.toContain("\u001b");
  } finally {
    delete process.env["FORCE_HYPERLINK"];
  }
});
