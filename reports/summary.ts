/** What a lock did under a fault in a campaign, beside what its documentation leads one to expect. */
export interface SummaryCell {
  readonly lock: string;
  /** The kind of the fault, or a combination as `partition + clock-jump`; `none` for runs without one. */
  readonly fault: string;
  /** Absent where nobody has said what to expect: a user's own lock, say. */
  readonly expected?: "holds" | "broken";
  readonly found: "holds" | "broken" | "unknown";
  /** Runs behind it. */
  readonly runs?: number;
  /** What to say of it in one line: the cause, why it is unknown. */
  readonly note?: string;
  /** Which of the report's runs shows it, counted from 0. */
  readonly run?: number;
}

/** The outcome of a campaign: locks by faults. Rows and columns come in the order in which they first occur. */
export interface Summary {
  readonly title?: string;
  readonly cells: readonly SummaryCell[];
}

/** A summary laid out as rows (locks) and columns (faults); a combination that was not run is undefined. */
export interface SummaryGrid {
  readonly faults: readonly string[];
  readonly rows: readonly { readonly lock: string; readonly cells: readonly (SummaryCell | undefined)[] }[];
  /** The cells in which something else was found than was expected, `unknown` among them. */
  readonly surprises: readonly SummaryCell[];
}

/** Where a combination occurs twice, the worse outcome stands: broken over unknown over holds. */
export function summaryGrid({ cells }: Summary): SummaryGrid {
  const byPlace = new Map<string, SummaryCell>();
  const badness = { holds: 0, unknown: 1, broken: 2 };
  for (const cell of cells) {
    const place = placeOf(cell.lock, cell.fault);
    const known = byPlace.get(place);
    if (known === undefined || badness[cell.found] > badness[known.found]) byPlace.set(place, cell);
  }
  const faults = [...new Set(cells.map(({ fault }) => fault))];
  const locks = [...new Set(cells.map(({ lock }) => lock))];
  return {
    faults,
    rows: locks.map((lock) => ({ lock, cells: faults.map((fault) => byPlace.get(placeOf(lock, fault))) })),
    surprises: [...byPlace.values()].filter(isSurprise),
  };
}

/** Whether something else was found than was expected; without an expectation only `unknown` is a surprise. */
export function isSurprise({ expected, found }: SummaryCell): boolean {
  return found === "unknown" || (expected !== undefined && expected !== found);
}

function placeOf(lock: string, fault: string): string {
  return JSON.stringify([lock, fault]);
}
