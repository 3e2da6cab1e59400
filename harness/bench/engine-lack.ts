import { NODE_IMAGE } from "../containers/images.ts";
import { requireImages } from "../containers/images-present.ts";
import { UserError } from "../core/errors.ts";

/** What keeps containers from being started here, with its mend; undefined where nothing does. */
export async function engineLack(): Promise<UserError | undefined> {
  if (process.platform !== "linux") return new UserError("no containers on this platform", "use Linux");
  try {
    await requireImages([NODE_IMAGE]);
    return undefined;
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
}
