/**
 * What a campaign counts beside verdicts.
 * - `crashed`: the lock ended its client's process by an uncaught error.
 * - `flooded`: the run was stopped because the lock sent a server too many messages in a short time.
 * - `undecided`: why a run is unknown.
 * - `programmer-error`: an operation ended by an error of the code that was called, in the driver or in the library.
 * - `not-claimed`, `not-promisable`, `not-asked`: a violation that does not decide the verdict, because the lock does
 *   not claim the property, no lock can promise it there, or other properties were asked for.
 * - `outlived`: a client went on after the end of its lease, beyond what the lock had promised; the note says what
 *   became of its late writes, and whether a lock that renews its leases could have told the client.
 * - `slow`: before any fault but the death of a client, a client was refused a lock that nobody held or waited long for it, or an
 *   operation took long.
 * - `nothing-promised`: the lock promises nothing under the faults of the plan, so there was nothing to decide.
 * - `untested`: a property that the lock promises, or that was asked for, about which no run of the campaign said anything.
 */
export const NOTE_KINDS = [
  "crashed",
  "flooded",
  "undecided",
  "programmer-error",
  "not-claimed",
  "not-promisable",
  "not-asked",
  "outlived",
  "slow",
  "nothing-promised",
  "untested",
] as const;
export type NoteKind = (typeof NOTE_KINDS)[number];

/** What one run reports to a campaign beside its verdict. Notes with the same words are counted together. */
export interface RunNote {
  readonly kind: NoteKind;
  readonly what: string;
}
