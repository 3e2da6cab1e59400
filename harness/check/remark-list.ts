const LISTED_REMARKS = 20;

/** Collects remarks of one kind: the first twenty in full, the rest as a number. */
export class RemarkList {
  readonly #listed: string[] = [];
  readonly #more: string;
  #count = 0;

  /**
   * @param more what to say of the remarks that are not listed, after their number: "more stale writes are not listed"
   */
  constructor(more: string) {
    this.#more = more;
  }

  add(remark: string): void {
    this.#count += 1;
    if (this.#listed.length < LISTED_REMARKS) this.#listed.push(remark);
  }

  get all(): readonly string[] {
    const unlisted = this.#count - this.#listed.length;
    return unlisted === 0 ? this.#listed : [...this.#listed, `${unlisted} ${this.#more}`];
  }
}
