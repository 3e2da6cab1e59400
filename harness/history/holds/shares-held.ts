import type { Share } from "../../core/sharing.ts";

/**
 * The shares of the open holds of one key, counted, so that nobody must look at each of them to see that they fit beside
 * each other. Where this does not show it, they may fit nevertheless: other holds may have stated a larger limit.
 */
export class SharesHeld {
  #exclusive = 0;
  #shared = 0;
  #permits = 0;

  add(share: Share): void {
    this.#count(share, 1);
  }

  delete(share: Share): void {
    this.#count(share, -1);
  }

  /** Whether one of them, this one, certainly fits beside the others. Of an exclusive one nothing is said. */
  fitBeside(share: Share): boolean {
    if (this.#exclusive > 0 || share.kind === "exclusive") return false;
    return share.kind === "shared" || this.#permits <= share.limit;
  }

  /** Whether these, none of which is one of them, certainly fit beside them and each other. */
  leaveRoomFor(shares: readonly Share[]): boolean {
    if (this.#exclusive > 0) return false;
    let [permits, limit] = [this.#permits, Infinity];
    for (const share of shares) {
      if (share.kind === "exclusive") return false;
      if (share.kind === "shared") continue;
      permits += share.permits;
      limit = Math.min(limit, share.limit);
    }
    return permits <= limit;
  }

  /** Whether one of them is a reader's, or may be. */
  get haveReaders(): boolean {
    return this.#shared > 0;
  }

  #count(share: Share, by: 1 | -1): void {
    if (share.kind === "exclusive") this.#exclusive += by;
    else if (share.kind === "shared") this.#shared += by;
    else if (share.kind === "counted") this.#permits += by * share.permits;
  }
}
