import { faults } from "../../../faults/registry.ts";
import { UserError } from "../../core/errors.ts";
import { TOPOLOGIES } from "../../core/topology.ts";
import type { Flag, Flags } from "../command.ts";

const PERSISTENCE = ["none", "everysec", "always"] as const;
const FAULT_KINDS = faults.map(({ kind }) => kind);

/** Flags that define the source of a campaign's plans. */
export const campaignFlags = {
  topology: {
    value: "topology",
    help: `${TOPOLOGIES.join(", ")} (default: the lock's first)`,
    choices: TOPOLOGIES,
  },
  persistence: {
    value: "mode",
    help: `what the nodes keep on disk: ${PERSISTENCE.join(", ")}`,
    default: "none",
    choices: PERSISTENCE,
  },
  faults: {
    value: "kinds",
    help: `faults to draw from, separated by commas, or none (default: all): ${FAULT_KINDS.join(", ")}`,
    choices: FAULT_KINDS,
  },
} satisfies Record<string, Flag>;

/**
 * The values of `campaignFlags`.
 * @throws UserError for an invalid value
 */
export function readCampaignFlags(flags: Flags) {
  return {
    topology: flags.choice("topology", TOPOLOGIES),
    persistence: flags.choice("persistence", PERSISTENCE),
    faults: readFaults(flags),
  };
}

/** @throws UserError for a fault that is not known, or `none` among others */
function readFaults(flags: Flags): readonly string[] | undefined {
  const words = flags.text("faults")?.split(",") ?? [];
  if (words.length > 1 && words.some((word) => word.trim() === "none"))
    throw new UserError(
      "--faults cannot combine none with other kinds",
      "leave none out: schedules without faults are drawn too, and a table always has the column none",
    );
  return words.length === 1 && words[0]?.trim() === "none" ? [] : flags.list("faults", FAULT_KINDS);
}
