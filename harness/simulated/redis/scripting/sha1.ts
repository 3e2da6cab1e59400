import { createHash } from "node:crypto";

/** SHA-1 of a binary string, in hexadecimal digits. */
export function sha1(text: string): string {
  return createHash("sha1").update(text, "latin1").digest("hex");
}
