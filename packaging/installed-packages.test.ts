import { expect, test } from "vitest";
import { wrongSizes } from "./installed-packages.ts";

const installation = { packages: 15, bytes: 15_000_000 };

test.each(["are 15 packages (15 MB) without", "are 15 packages, 14 MB in all", "15 packages, 16 MB"])(
  "%j is so",
  (text) => {
    expect(wrongSizes({ "a.md": text }, installation)).toEqual([]);
  },
);

test.each([
  ["are 15 packages (13 MB)", 'a.md says "15 packages (13 MB", and an installation has 15 packages, 15.0 MB'],
  ["are 14 packages, 15 MB", 'a.md says "14 packages, 15 MB", and an installation has 15 packages, 15.0 MB'],
  ["are few packages", "a.md does not say how large an installation is"],
])("%j is not", (text, wrong) => {
  expect(wrongSizes({ "a.md": text }, installation)).toEqual([wrong]);
});
