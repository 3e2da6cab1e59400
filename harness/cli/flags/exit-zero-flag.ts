import { EXIT } from "../../core/verdict.ts";
import type { Flag, Flags } from "../command.ts";

/** The flag of a shard whose findings are for the merge to tell. */
export const exitZeroFlag = {
  "exit-zero": {
    help: "end with 0 even if a violation was found or runs are undecided, for shards; errors and interruptions still count",
  },
} satisfies Record<string, Flag>;

/** The exit code of a campaign, by `--exit-zero`. */
export function campaignExitCode(code: number, flags: Flags): number {
  const isVerdict = code === EXIT.invalid || code === EXIT.unknown;
  return isVerdict && flags.on("exit-zero") ? EXIT.valid : code;
}
