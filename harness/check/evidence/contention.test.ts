import { expect, it } from "vitest";
import { checkHistory } from "../check.ts";
import { Recording } from "../testing/recording.ts";

function isContended(recording: Recording): boolean {
  return !checkHistory(recording.history).reasons.some((reason) =>
    /^no (lock was ever contended|acquire was granted)/.test(reason),
  );
}

it("is a refusal because somebody held", () => {
  expect(isContended(new Recording().fail(0, 0))).toBe(true);
  expect(isContended(new Recording().seek(0, 0).refused(1, 0, "NOREPLICAS"))).toBe(false);
  const free = new Recording().acquire(0, 0, "a").release(2, 0, "a");
  expect(isContended(free.seek(5, 1).refused(6, 1, "NOREPLICAS"))).toBe(false);
});

it("is a try while another holds", () => {
  expect(isContended(new Recording().acquire(0, 0, "a").seek(5, 1))).toBe(true);
  expect(isContended(new Recording().acquire(0, 0, "a").seek(5, 0))).toBe(false);
  expect(isContended(new Recording().acquire(0, 0, "a").release(2, 0, "a").seek(5, 1))).toBe(false);
  expect(isContended(new Recording().acquire(0, 0, "a").on("other").seek(5, 1))).toBe(false);
});

it("is a grant while another tries", () => {
  expect(isContended(new Recording().seek(0, 0).seek(1, 1).granted(2, 0, "a"))).toBe(true);
  expect(isContended(new Recording().seek(0, 0).seek(1, 1).info(2, 1, "acquire").granted(3, 0, "a"))).toBe(false);
});
