import { expect, it } from "vitest";
import type { Hold } from "./holds.ts";
import { HoldIndex } from "./hold-index.ts";

const named = (owner: string): Hold => ({ owner }) as Hold;

it("keeps the holds of a key in their order, whether there is one, several, or none any more", () => {
  const index = new HoldIndex<string>();
  const [a, b, c] = [named("a"), named("b"), named("c")];
  const shown = (): string => `${[...index.of("x")].map(({ owner }) => owner).join("")} ${index.count("x")}`;
  expect(shown()).toBe(" 0");
  index.add("x", a);
  index.add("x", a);
  expect(shown()).toBe("a 1");
  expect([index.has("x", a), index.has("x", b), index.has("y", a)]).toEqual([true, false, false]);
  index.add("x", b);
  index.add("x", c);
  index.add("y", c);
  expect(shown()).toBe("abc 3");
  expect([index.has("x", c), index.has("y", a)]).toEqual([true, false]);
  index.delete("x", a);
  expect(shown()).toBe("bc 2");
  index.delete("x", c);
  index.delete("x", b);
  index.delete("x", b);
  expect(shown()).toBe(" 0");
  index.add("x", b);
  index.delete("x", a);
  expect(shown()).toBe("b 1");
});
