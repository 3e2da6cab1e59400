import { NODE_IMAGE } from "../containers/setup/images.ts";
import { requireImages } from "../containers/setup/images-present.ts";
import { UserError } from "../core/errors.ts";

/** Why containers cannot be started here, with a hint; undefined when they can. */
export async function missingEngine(): Promise<UserError | undefined> {
  if (process.platform !== "linux") return new UserError("no containers on this platform", "use Linux");
  try {
    await requireImages([NODE_IMAGE]);
    return undefined;
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
}
