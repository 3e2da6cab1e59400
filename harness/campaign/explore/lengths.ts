/** A run of one length, as far as it decides which other lengths are worth a run. */
export interface LengthOutcome {
  /** Equal for runs that differ in nothing but times. */
  readonly class: string;
  /** What happened in the run after the deviation began: each is a deadline that a length crosses. Milliseconds after it. */
  readonly deadlinesMs: readonly number[];
}

export interface LengthScope {
  readonly mostMs: number;
  /** Lengths closer together than this are not told apart. */
  readonly resolutionMs: number;
  /** Whether one length stands for a region; otherwise all multiples of the resolution are tried. */
  readonly regions: boolean;
  /** Asked before each run; absent: always yes. */
  readonly mayRun?: (() => boolean) | undefined;
}

/** The lengths that were run. */
export interface ExploredLengths<Outcome> {
  /** Shortest first. */
  readonly outcomes: readonly (readonly [lengthMs: number, outcome: Outcome])[];
  /** Whether all that are worth a run were run. */
  readonly whole: boolean;
}

/**
 * The lengths of a deviation that are worth a run, with their outcomes.
 *
 * A length matters only by what it outlasts. The longest run shows what there is to outlast: between two of its events
 * the deviation ends in the same state of all hosts, whenever it ends. What then follows happens at times that either
 * stay or move with the end, so the order of any two of its events can change only once within this interval: where both
 * of its ends give the same class, every length between them does. Where they do not, the interval is halved until its
 * ends agree or are `resolutionMs` apart. Sound for deadlines that are further apart than the resolution.
 */
export async function exploreLengths<Outcome extends LengthOutcome>(
  run: (lengthMs: number) => Promise<Outcome>,
  { mostMs, resolutionMs, regions, mayRun = () => true }: LengthScope,
): Promise<ExploredLengths<Outcome>> {
  const outcomes = new Map<number, Outcome>();
  let whole = true;
  const at = async (lengthMs: number): Promise<Outcome | undefined> => {
    const exact = Math.round(lengthMs * 1000) / 1000;
    const known = outcomes.get(exact);
    if (known !== undefined) return known;
    whole &&= mayRun();
    if (!whole) return undefined;
    const outcome = await run(exact);
    outcomes.set(exact, outcome);
    return outcome;
  };
  const halve = async (lowMs: number, highMs: number): Promise<void> => {
    const [low, high] = [await at(lowMs), await at(highMs)];
    if (low === undefined || high === undefined) return;
    if (low.class === high.class || highMs - lowMs <= resolutionMs) return;
    const middleMs = (lowMs + highMs) / 2;
    await halve(lowMs, middleMs);
    await halve(middleMs, highMs);
  };
  if (regions) {
    const longest = await at(mostMs);
    const deadlinesMs = longest?.deadlinesMs ?? [];
    for (const [lowMs, highMs] of intervalsOf(deadlinesMs, mostMs, resolutionMs)) await halve(lowMs, highMs);
  } else for (let ms = resolutionMs; ms <= mostMs; ms += resolutionMs) await at(ms);
  return { outcomes: [...outcomes].toSorted(([one], [other]) => one - other), whole };
}

/** The intervals between deadlines that are far enough apart, without the instants just beside the deadlines. */
function intervalsOf(
  deadlinesMs: readonly number[],
  mostMs: number,
  resolutionMs: number,
): readonly (readonly [number, number])[] {
  const within = deadlinesMs.filter((ms) => ms > 0 && ms < mostMs).toSorted((one, other) => one - other);
  const bounds = [0, ...within, mostMs];
  const margin = resolutionMs / 4;
  return bounds.slice(1).flatMap((high, index) => {
    const low = bounds[index] ?? 0;
    return high - low < resolutionMs ? [] : [[low + margin, high === mostMs ? mostMs : high - margin] as const];
  });
}
