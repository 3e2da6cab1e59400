import { describeEvent, valuesOf, type RunModel } from "./run-model.ts";

/** The reader's filter. Empty sets hide nothing. */
export interface FilterChoice {
  readonly query: string;
  readonly hiddenKinds: ReadonlySet<string>;
  readonly hiddenTypes: ReadonlySet<string>;
  readonly hiddenLanes: ReadonlySet<number>;
}

export const EVERYTHING: FilterChoice = {
  query: "",
  hiddenKinds: new Set(),
  hiddenTypes: new Set(),
  hiddenLanes: new Set(),
};

/** Finds the events that a filter lets through. An event's text is made once, when it is first searched. */
export class EventFilter {
  readonly #model: RunModel;
  #texts: readonly string[] | undefined;

  constructor(model: RunModel) {
    this.#model = model;
  }

  /** Indices of the events that match, ascending. */
  matches({ query, hiddenKinds, hiddenTypes, hiddenLanes }: FilterChoice): readonly number[] {
    const { events, laneOf } = this.#model.data;
    const words = query
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== "");
    const texts = words.length === 0 ? [] : this.#allTexts();
    const found: number[] = [];
    events.forEach((event, index) => {
      const kind = event.type === "fault" ? "fault" : event.type === "audit" ? "audit" : event.f;
      if (hiddenKinds.has(kind) || hiddenTypes.has(event.type) || hiddenLanes.has(laneOf[index] ?? -1)) return;
      const text = texts[index] ?? "";
      if (words.every((word) => text.includes(word))) found.push(index);
    });
    return found;
  }

  #allTexts(): readonly string[] {
    const { events, laneOf, lanes } = this.#model.data;
    this.#texts ??= events.map((event, index) => {
      const lane = lanes[laneOf[index] ?? -1]?.name ?? "";
      return `#${index} ${describeEvent(event, lane)} ${event.type} process ${event.process} ${valuesOf(event)}`.toLowerCase();
    });
    return this.#texts;
  }
}

/** Whether a choice hides anything at all. */
export function isFiltering({ query, hiddenKinds, hiddenTypes }: FilterChoice): boolean {
  return query.trim() !== "" || hiddenKinds.size > 0 || hiddenTypes.size > 0;
}
