import { describeEvent, type Item, type RunModel } from "./run-model.ts";
import { lengthLabel } from "./time-view.ts";

/** The tooltip of an item: a heading and a few lines. */
export function summaryOf(model: RunModel, item: Item): readonly string[] {
  const lane = model.data.lanes[item.lane]?.name ?? "";
  const at = `at ${lengthLabel(item.from)}`;
  const long = item.to > item.from ? `, for ${lengthLabel(item.to - item.from)}` : "";
  if (item.hold !== undefined) {
    const { key, owner, fence, lease, endedBy, to } = item.hold;
    const inForce = lease.reduce((sum, part) => sum + part.to - part.from, 0);
    const over = to - item.from - inForce;
    return [
      `${lane} holds ${key}`,
      `owner ${owner}${fence === undefined ? "" : `, fencing token ${fence}`}`,
      `from ${lengthLabel(item.from)}${long}`,
      over > 0 ? `${lengthLabel(over)} of it after its lease` : "all of it within its lease",
      `ended by ${endedBy}`,
    ];
  }
  const events = [item.event, item.completion].flatMap((index) => model.data.events[index ?? -1] ?? []);
  return [`${at}${long}`, ...events.map((event) => `#${event.index} ${describeEvent(event, lane)}`)].toReversed();
}

/** Fills the details panel: the same in words, and the events as they are in the history. */
export function fillDetails(panel: HTMLElement, model: RunModel, item: Item | undefined): void {
  if (item === undefined) {
    panel.replaceChildren(paragraph("Select something in the timeline or the table to see its events here.", "soft"));
    return;
  }
  const [first = "", ...rest] = summaryOf(model, item);
  const heading = document.createElement("h3");
  heading.textContent = first;
  const indices = [item.event, item.completion].filter((index) => index !== undefined);
  const events = indices.flatMap((index) => model.data.events[index] ?? []);
  const code = document.createElement("pre");
  code.tabIndex = 0;
  code.textContent = events.map((event) => JSON.stringify(event)).join("\n");
  panel.replaceChildren(heading, ...rest.map((line) => paragraph(line)), code);
}

/** Shows the tooltip beside the pointer, inside its frame; hides it where it would be empty. */
export function placeTooltip(tooltip: HTMLElement, lines: readonly string[] | undefined, x: number, y: number): void {
  tooltip.hidden = lines === undefined;
  if (lines === undefined) return;
  tooltip.replaceChildren(...lines.map((line, index) => paragraph(line, index === 0 ? "head" : undefined)));
  const room = tooltip.parentElement?.clientWidth ?? window.innerWidth;
  const left = x + 16 + tooltip.offsetWidth > room ? Math.max(0, x - tooltip.offsetWidth - 12) : x + 16;
  tooltip.style.transform = `translate(${left}px, ${y + 18}px)`;
}

function paragraph(text: string, name?: string): HTMLElement {
  const element = document.createElement("p");
  element.textContent = text;
  if (name !== undefined) element.className = name;
  return element;
}
