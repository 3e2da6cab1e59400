import { narrowPictureOf } from "../html/html.ts";
import type { GalleryItem } from "../html/gallery-page.ts";
import type { GlossaryPart } from "../html/glossary-page.ts";
import type { StoreListing } from "../html/store-listing.ts";
import type { Report } from "../run/run-record.ts";
import { EXAMPLE_RUNS, lostInFailover } from "./example-runs.ts";

const FAULTS = ["none", "pause-client", "kill-client", "partition", "latency", "stall", "reset", "pause-node", "kill-node"];

/** A table of locks by faults in which every kind of cell occurs, with its runs. */
export function aCampaign(): Report {
  const found = ["holds", "outlived", "broken", "simulated", "unknown"] as const;
  const cells = ["single (sentinel)", "redlock with a rather long name"].flatMap((lock, row) =>
    FAULTS.map((fault, column) => {
      const word = found[(row + column) % found.length] ?? "holds";
      const command = `npx lockstorm hunt --ladder --lock ${lock} --faults ${fault} --seed 1`;
      const shows = word === "broken" && column < 3 ? { run: column } : { command };
      return { lock, fault, expected: "holds", found: word, runs: 20, valid: 18, ...shows } as const;
    }),
  );
  return {
    title: "Locks by faults: what each lock claims, and what the simulation found",
    runs: Object.values(EXAMPLE_RUNS).map((make) => make()),
    summary: {
      title: "Locks by faults: what each lock claims, and what the simulation found",
      cells,
      notes: [
        { kind: "undecided", what: "no lock was ever contended", runs: 27, place: "single (sentinel) under kill-client" },
        { kind: "outlived", what: "no late write reached the resource", runs: 4, replay: "npx lockstorm replay plan.json" },
      ],
      missing: { cells: 3, reason: "the budget of 10 minutes is used up" },
      changes: { new: [{ lock: "single (sentinel)", fault: "kill-client" }], known: [], fixed: [] },
    },
  };
}

/** An exploration that was interrupted. */
export function anExploration(): Report {
  const level = { families: 178, missing: 70, schedules: 825, newClasses: 209, symmetric: 3, alike: 4 };
  const title = "exploration of single on single";
  return {
    title,
    runs: [],
    summary: {
      title,
      cells: [{ lock: "single", fault: "stall + reset", found: "unknown", runs: 826, valid: 817, held: [] }],
      notes: [{ kind: "undecided", what: "no lock was ever contended", runs: 9 }],
      exploration: {
        conclusion: "Not complete: interrupted. Continue with --resume.",
        levels: [{ ...level, deviations: 1 }],
        leftOut: ["more than 1 deviation", "deviations that last longer than 4000 ms"],
      },
    },
  };
}

/** A store with runs of each verdict, a campaign and a folder that is no run. */
export function aStore(): StoreListing {
  const run = {
    topology: "sentinel",
    backend: "simulated",
    seed: 1,
    faults: ["partition", "kill-node"],
    causes: ["lost-in-failover"],
    hasReport: true,
  } as const;
  return {
    store: ".lockstorm",
    campaigns: [
      { name: "ladder", about: "ladder, seed 1: 72 of 77 cells done", page: "ladder.html" },
      { name: "hunt-single", about: "hunt, single: 3 of 1,000 runs done, 3 valid" },
    ],
    runs: (["invalid", "valid", "unknown", "unfinished"] as const).map((verdict, place) => ({
      ...run,
      folder: `runs/2026-01-31T12-00-0${place}-1`,
      began: `2026-01-31 12:00:0${place}`,
      title: `fenced (sentinel) under clock-jump ${place}`,
      lock: `lock-${place}`,
      verdict,
    })),
    outcomes: (["holds", "broken", "broken", "holds"] as const).map((found, place) => ({
      name: "ladder",
      at: `2026-01-3${place % 2} 12:00:00`,
      commit: `${place}123456789abcdef`,
      cells: [
        { lock: "single", fault: "partition", found, runs: 20 },
        { lock: "fenced", fault: "partition", found: "holds", runs: 20 },
      ],
    })),
    unreadable: [{ folder: "runs/broken", why: "plan.json is not there" }],
  };
}

/** The catalogue with a scenario that breaks something, and one that breaks nothing. */
export function aGallery(): readonly GalleryItem[] {
  const item = {
    title: "a grant is lost in a failover",
    summary: "The replica that becomes master never had the grant.",
    lock: "single",
    topology: "sentinel",
    source: { name: "Kleppmann (2016)", link: "https://example.org/" },
    report: "catalogue/async-failover.html",
  };
  return [
    { ...item, slug: "async-failover", picture: narrowPictureOf(lostInFailover()) },
    { ...item, slug: "a-slug-that-is-longer-than-any-other-of-them" },
  ];
}

/** A glossary of two words, one of which names the other. */
export function aGlossary(): readonly GlossaryPart[] {
  const words = [
    { word: "partition", meaning: "no message passes", details: ["Until it is healed."], see: ["latency", "unknown"] },
    { word: "latency", meaning: "messages come late", details: [], see: [], command: "lockstorm reproduce late-set-orphan" },
  ];
  return [{ title: "Faults", about: "What happens to clients.", words }];
}
