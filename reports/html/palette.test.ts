import { describe, expect, test } from "vitest";
import { STYLE } from "./assets.ts";

const TEXTS = ["ink", "soft", "lease", "overrun", "bad", "fault", "note", "unknown"] as const;
/** Grounds of their own, and who is written on them besides. */
const GROUNDS = {
  "bad-ground": ["bad", "unknown"],
  "good-ground": ["lease", "ink"],
  "unknown-ground": ["unknown"],
} as const;

/** WCAG 2.2, 1.4.3: text below 18 pt. Pictures and canvases count too, where axe-core cannot look. */
const LEAST_CONTRAST = 4.5;

type Colors = Readonly<Record<string, string>>;

/** The variables of each theme: light, dark by the system, dark by choice. */
function themes(): readonly [light: Colors, dark: Colors, chosen: Colors] {
  const blocks = [...STYLE.matchAll(/:root[^{]*\{([^}]*--page:[^}]*)\}/g)].map(([, block = ""]) =>
    Object.fromEntries(
      [...block.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)].map(([, name = "", color = ""]) => [name, color]),
    ),
  );
  const [light = {}, dark = {}, chosen = {}] = blocks;
  return [light, dark, chosen];
}

function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((place) => {
    const share = Number.parseInt(color.slice(place, place + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

describe.each([
  ["light", themes()[0]],
  ["dark", themes()[1]],
])("%s", (_, colors) => {
  test.each(TEXTS)("%s can be read on the page and on panels", (text) => {
    for (const ground of ["page", "panel"])
      expect(contrast(colors[text] ?? "", colors[ground] ?? ""), ground).toBeGreaterThanOrEqual(LEAST_CONTRAST);
  });

  test.each(Object.entries(GROUNDS))("on %s", (ground, texts) => {
    for (const text of texts)
      expect(contrast(colors[text] ?? "", colors[ground] ?? ""), text).toBeGreaterThanOrEqual(LEAST_CONTRAST);
  });
});

test("dark is the same whether the system or the reader asks for it", () => {
  const [, dark, chosen] = themes();
  expect(Object.keys(dark).length).toBeGreaterThan(10);
  expect(chosen).toEqual(dark);
});

test("black on white has the contrast that WCAG gives", () => {
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21, 5);
});
