import { pathToFileURL } from "node:url";
import { printable } from "../../core/printable.ts";

/** Ends a control sequence of an operating system command (ECMA-48). */
const END = "\u001b\\";
const CLOSE = `\u001b]8;;${END}`;

/** Terminals that say who they are, and show hyperlinks. */
const PROGRAMS = ["iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "Tabby", "rio", "zed"];
const TERMINALS = ["xterm-kitty", "xterm-ghostty", "alacritty", "foot", "foot-extra", "wezterm"];
/** The first version of VTE (GNOME Terminal and others) that shows them without a fault: 0.50.1. */
const LEAST_VTE = 5001;

/**
 * Whether a terminal shows hyperlinks (OSC 8), by its environment: nobody can be asked.
 * `FORCE_HYPERLINK=0` and `1` decide instead, as for other programs.
 */
export function showsHyperlinks(environment: NodeJS.ProcessEnv): boolean {
  const { FORCE_HYPERLINK, TERM, TERM_PROGRAM, VTE_VERSION, WT_SESSION, KONSOLE_VERSION, CI, TMUX } = environment;
  if (FORCE_HYPERLINK !== undefined && FORCE_HYPERLINK !== "") return FORCE_HYPERLINK !== "0";
  if (TERM === "dumb" || (CI ?? "") !== "" || (TMUX ?? "") !== "") return false;
  return (
    PROGRAMS.includes(TERM_PROGRAM ?? "") ||
    TERMINALS.includes(TERM ?? "") ||
    Number(VTE_VERSION ?? 0) >= LEAST_VTE ||
    (WT_SESSION ?? "") !== "" ||
    (KONSOLE_VERSION ?? "") !== ""
  );
}

/** A path that a terminal opens. https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda */
export function hyperlink(path: string): string {
  return `\u001b]8;;${pathToFileURL(path).href}${END}${printable(path)}${CLOSE}`;
}
