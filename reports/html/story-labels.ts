import { element, escapeXml } from "../xml.ts";
import { touches, uncovered, type Interval } from "../../harness/history/interval.ts";

/** Average width of a character of 11 pixels' height. */
export const CHARACTER = 6.2;

/** What may be written on in a row of a picture. */
interface Row {
  readonly within: Interval;
  /** What must stay readable: on no account written on. */
  readonly taken: readonly Interval[];
  readonly cuts: readonly Interval[];
}

/** Where words stand: their stretch in pixels, and what they say. */
interface PlacedWords extends Interval {
  readonly says: string;
}

/** The first part of a stretch in which words of this room stand on nothing that is taken; undefined where there is none. */
export function firstRoom(stretch: Interval, taken: readonly Interval[], room: number): Interval | undefined {
  const ascending = taken.toSorted((one, other) => one.from - other.from);
  const from = uncovered(stretch, ascending).find((part) => part.to - part.from >= room)?.from;
  return from === undefined ? undefined : { from, to: from + room };
}

/** A server that becomes master: its mark, what is written beside it, and where the two stand. */
export interface DrawnPromotion {
  readonly mark: string;
  readonly label: string;
  readonly words: Interval;
}

/** Draws it at `x`, with the words on that side where no band is, if there is one. */
export function drawPromotion(x: number, top: number, row: Row): DrawnPromotion {
  const sides = (says: string): readonly [PlacedWords, PlacedWords] => {
    const room = says.length * CHARACTER;
    return [
      { says, from: x + 11, to: x + 11 + room },
      { says, from: x - 11 - room, to: x - 11 },
    ];
  };
  const { says, from, to } = firstFree([...sides("becomes master"), ...sides("master")], row);
  const after = from > x;
  return {
    mark: element("path", { class: "promotion", d: `M${x} ${top}l7 7-7 7-7-7z` }),
    label: text(after ? from : to, top + 11, "promotion-label", says, after ? "start" : "end"),
    words: after ? { from: x - 7, to } : { from, to: x + 7 },
  };
}

/** The first place that touches nothing that is taken, and no cut if that can be; else the first of all. */
function firstFree(places: readonly [PlacedWords, ...PlacedWords[]], { within, taken, cuts }: Row): PlacedWords {
  const isFree = (place: Interval, others: readonly Interval[]): boolean =>
    place.from >= within.from && place.to <= within.to && !others.some((other) => touches(other, place));
  return (
    places.find((place) => isFree(place, [...taken, ...cuts])) ??
    places.find((place) => isFree(place, taken)) ??
    places[0]
  );
}

/** A text of a picture. */
export function text(x: number, y: number, name: string, content: string, anchor: "start" | "middle" | "end"): string {
  return element("text", { class: name, x: round(x), y: round(y), "text-anchor": anchor }, [escapeXml(content)]);
}

/** To a tenth of a pixel. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}
