import type { RunRecord } from "../../reports/run/run-record.ts";
import type { NodeServer } from "../containers/setup/images.ts";
import { STORE } from "../run/store.ts";

/** Receives the progress of a campaign. This folder prints nothing: the caller decides whether and how to show it. */
export interface Progress {
  /** The current step as one line, which replaces the line before. */
  step(text: string): void;
  /** A line that stays, such as a finding. */
  note(line: string): void;
}

/** Draws a judged run as an HTML page. */
export type DrawRun = (record: RunRecord) => string;

/** What the runs of a campaign share. Every field has a default. */
export interface RunEnvironment {
  /** The folder in which runs are recorded. Default: `.lockstorm`. */
  readonly store?: string | undefined;
  /** The server that nodes run in containers. Default: `redis8`. */
  readonly server?: NodeServer | undefined;
  /** Port of Toxiproxy's own interface on 127.0.0.1. Default: 0, which takes a free port. */
  readonly proxyPort?: number | undefined;
  /** Ends the campaign early; recorded runs stay. */
  readonly signal?: AbortSignal | undefined;
  readonly progress?: Progress | undefined;
  /** Draws `report.html` in the folder of each kept run. Default: no such file is written. */
  readonly drawRun?: DrawRun | undefined;
}

/** The environment with its defaults. */
export interface CompleteEnvironment extends RunEnvironment {
  readonly store: string;
  readonly server: NodeServer;
  readonly proxyPort: number;
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

const SILENT: Progress = { step: () => {}, note: () => {} };

/** Fills in the defaults. */
export function completeEnvironment(environment: RunEnvironment): CompleteEnvironment {
  const { store = STORE, server = "redis8", proxyPort = 0, progress = SILENT, drawRun } = environment;
  const { signal = new AbortController().signal } = environment;
  return { store, server, proxyPort, signal, progress, drawRun };
}
