import { UserError } from "../../core/errors.ts";

/** One deviation of a schedule: the index of its family in the run that it deviates from, and its length if it has one. */
interface Turn {
  readonly family: number;
  readonly lengthMs?: number | undefined;
}

/** A schedule: its deviations, each in the run with those before it. Empty: the workload as it is. */
export type SchedulePath = readonly Turn[];

/** `12@183.5/4`: family 12 for 183.5 ms, and in that run family 4. */
export function pathText(path: SchedulePath): string {
  return path.map(({ family, lengthMs }) => (lengthMs === undefined ? `${family}` : `${family}@${lengthMs}`)).join("/");
}

/** @throws UserError when it is not a path */
export function readSchedulePath(text: string): SchedulePath {
  if (text === "") return [];
  return text.split("/").map((part) => {
    const [, family, lengthMs] = /^(\d{1,9})(?:@(\d{1,9}(?:\.\d{1,6})?))?$/.exec(part) ?? [];
    if (family === undefined) {
      throw new UserError(
        `"${text}" is not the path of a schedule`,
        "give one that explore printed, such as 12@183.5/4",
      );
    }
    return { family: Number(family), lengthMs: lengthMs === undefined ? undefined : Number(lengthMs) };
  });
}
