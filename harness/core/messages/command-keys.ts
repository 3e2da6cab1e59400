/** First key, last key (negative: counted from the end), and distance between keys. All 0: no keys, or none fixed. */
export type KeyPositions = readonly [first: number, last: number, step: number];

/** Commands that say themselves how many keys they name: the position of that number; the keys follow it. */
const COUNTED: Readonly<Record<string, number>> = {
  EVAL: 2,
  EVALSHA: 2,
  EVAL_RO: 2,
  EVALSHA_RO: 2,
  FCALL: 2,
  FCALL_RO: 2,
  LMPOP: 1,
  ZMPOP: 1,
  BLMPOP: 2,
  BZMPOP: 2,
  SINTERCARD: 1,
  ZINTERCARD: 1,
  ZUNION: 1,
  ZINTER: 1,
  ZDIFF: 1,
  ZUNIONSTORE: 2,
  ZINTERSTORE: 2,
  ZDIFFSTORE: 2,
};

/**
 * The keys that a command names.
 * @param positions where a server's `COMMAND` says that its keys are
 */
export function keysOf(argv: readonly string[], positions: KeyPositions): readonly string[] {
  const name = (argv[0] ?? "").toUpperCase();
  const fixed = keysAt(argv, positions);
  const counted = COUNTED[name];
  if (counted !== undefined) {
    const count = Number(argv[counted]);
    return Number.isInteger(count) && count > 0 ? [...fixed, ...argv.slice(counted + 1, counted + 1 + count)] : fixed;
  }
  if (name === "XREAD" || name === "XREADGROUP") {
    const rest = argv.slice(argv.findIndex((argument) => argument.toUpperCase() === "STREAMS") + 1);
    return rest.slice(0, rest.length / 2);
  }
  return fixed;
}

function keysAt(argv: readonly string[], [first, last, step]: KeyPositions): readonly string[] {
  if (first === 0 || step === 0) return [];
  const end = last < 0 ? argv.length + last : last;
  return argv.filter((_, index) => index >= first && index <= end && (index - first) % step === 0);
}
