import type { HistoryHeader } from "../../history/history.ts";
import type { HistoryStep } from "../evidence/history-step.ts";
import { RemarkList } from "../remark-list.ts";
import { freeWaitInWords, FreeWaits } from "./free-waits.ts";
import { lateAnswerInWords, LateAnswers } from "./late-answers.ts";
import { ResourceAnswers } from "./resource-answers.ts";
import { UngrantedRequests } from "./ungranted-requests.ts";

/** What a history says of waiting in vain and of slowness, which breaks no property. */
export class LivenessRemarks {
  readonly #header: HistoryHeader;
  readonly #ungranted = new UngrantedRequests();
  readonly #freeWaits: FreeWaits;
  readonly #waits = new RemarkList("more waits for keys that nobody held are not listed");
  readonly #lateAnswers: LateAnswers;
  readonly #late = new RemarkList("more answers that came late are not listed");
  readonly #resource = new ResourceAnswers();

  constructor(header: HistoryHeader) {
    this.#header = header;
    this.#freeWaits = new FreeWaits(header, (wait) => this.#waits.add(freeWaitInWords(header, wait)));
    this.#lateAnswers = new LateAnswers(header, (answer) => this.#late.add(lateAnswerInWords(header, answer)));
  }

  get all(): readonly string[] {
    const slow = this.#resource.areSlow ? [] : [...this.#waits.all, ...this.#late.all];
    return [...this.#ungranted.remarks(this.#header), ...slow];
  }

  push(step: Pick<HistoryStep, "event" | "invocation">): void {
    this.#ungranted.push(step, this.#header);
    this.#freeWaits.push(step);
    this.#lateAnswers.push(step);
    this.#resource.push(step);
  }

  conclude(key: string): void {
    this.#freeWaits.conclude(key);
  }
}
