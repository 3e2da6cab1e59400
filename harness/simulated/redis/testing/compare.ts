import { COMMAND_SHAPES } from "./command-shapes.ts";
import { parseFrame, type Frame } from "./reply-frames.ts";

/** How the replies of a command are compared, by its name. */
const MODES = new Map(
  COMMAND_SHAPES.flatMap((shape) => (shape.compare === undefined ? [] : [[shape.name, shape.compare] as const])),
);

/**
 * True when replies to the command cannot be compared byte for byte; such a command must not be queued in a
 * transaction.
 */
export function isInexact(argv: readonly string[]): boolean {
  return (MODES.get((argv[0] ?? "").toLowerCase()) ?? "exact") !== "exact";
}

/** True when the two replies to the command are equal, as far as they can be compared. */
export function sameReply(argv: readonly string[], real: string, simulated: string): boolean {
  if (real === simulated || withoutAddresses(real) === withoutAddresses(simulated)) return true;
  const name = (argv[0] ?? "").toLowerCase();
  const mode = MODES.get(name) ?? "exact";
  if (mode === "unordered") return sorted(parseFrame(real)) === sorted(parseFrame(simulated));
  return mode === "shape" && shapeOf(parseFrame(real)) === shapeOf(parseFrame(simulated));
}

/** Addresses of a script's tables and functions mean nothing. */
function withoutAddresses(reply: string): string {
  return reply.replaceAll(/(?<=(?:table|function): 0x)[0-9a-f]{12}/g, "");
}

function sorted(frame: Frame): string {
  if ("text" in frame) return `${frame.type}${frame.text}`;
  return `${frame.type}(${frame.parts.map(sorted).sort().join(",")})`;
}

function shapeOf(frame: Frame): string {
  if ("text" in frame) return frame.type === "-" ? frame.text : frame.type;
  return `${frame.type}(${frame.parts.map(shapeOf).join(",")})`;
}
