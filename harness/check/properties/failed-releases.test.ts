import { expect, it } from "vitest";
import { violationsOf } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";

const FREE = "the lock was not free although its holder had released it";

const asked = (): Recording => new Recording({ clients: 3 }).acquire(0, 0, "a").leave(10, 0, "a");
const told = (history: Recording): string =>
  violationsOf("deadlock-freedom", history.fail(6000, 1))[0]?.explanation ?? "";

it("a lock that is stuck after a release that failed is not said to have been released", () => {
  const explanation = told(asked().failRelease(11, 0));
  expect(explanation).toContain("called release at 10 ms, which failed");
  expect(explanation).toContain("the lock had not become free by itself");
  expect(explanation).not.toContain(FREE);
});

it.each([
  ["released with the second try", asked().failRelease(11, 0).release(12, 0, "a")],
  ["released again, which fails", asked().left(11, 0).leave(20, 0, "a").failRelease(21, 0)],
  [
    "released, as the lock says of nothing, and another client fails to",
    asked().left(11, 0, false).leave(20, 2, "a").failRelease(21, 2),
  ],
])("a lock that its holder %s is", (_, history) => {
  const explanation = told(history);
  expect(explanation).toContain(FREE);
  expect(explanation).not.toContain("failed");
});

it("a failure of another client's release says nothing of the holder's, whose answer is unknown", () => {
  const explanation = told(asked().leave(11, 2, "b").failRelease(12, 2).info(13, 0, "release"));
  expect(explanation).toContain("called release at 10 ms, with an unknown outcome");
});
