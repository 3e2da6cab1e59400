import { inFigures } from "../core/words/in-figures.ts";

/** A log that a person reads is shorter, and a worker that prints in an endless loop must not fill the disk. */
const MOST_CHARACTERS = 4_000_000;

/** Passes on what is logged until it is too much, and says then that the rest is left out. */
export function boundedLog(write: (text: string) => void, most = MOST_CHARACTERS): (text: string) => void {
  let left = most;
  return (text) => {
    if (left < 0) return;
    if (text.length <= left) write(text);
    else {
      if (left > 0) write(text.slice(0, left));
      write(`\nlockstorm: the worker printed more than ${inFigures(most)} characters; the rest is left out\n`);
    }
    left = text.length <= left ? left - text.length : -1;
  };
}
