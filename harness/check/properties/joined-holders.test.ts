/** Of more holders of a semaphore than are too many, those that came later are named too. */
import { expect, it } from "vitest";
import { violationsOf } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";

/** So many clients are granted a permit each of two, and give it back in the same order from 50 ms on. */
function granted(clients: number): Recording {
  const recording = new Recording({ clients });
  for (let client = 0; client < clients; client += 1) recording.acquire(client * 2, client, `o${client}`, { limit: 2 });
  for (let client = 0; client < clients; client += 1) recording.release(100 + client * 2, client, `o${client}`);
  return recording;
}

function sentences(recording: Recording): readonly string[] {
  const first = (["mutual-exclusion", "lease-exclusion"] as const).map(
    (property) => violationsOf(property, recording)[0],
  );
  return first.map((violation) => violation?.explanation ?? "");
}

it("five holders of two permits", () => {
  const later =
    "Meanwhile it was granted as well to client-3 (process 3, owner o3) at 7 ms and client-4 (process 4, owner o4) at 9 ms.";
  for (const sentence of sentences(granted(5))) expect(sentence).toContain(later);
  for (const sentence of sentences(granted(3))) expect(sentence).not.toContain("Meanwhile");
});

it("so many that only some are named", () => {
  for (const sentence of sentences(granted(8))) expect(sentence).toMatch(/owner o5\) at 11 ms and two more\./u);
  for (const sentence of sentences(granted(30)))
    expect(sentence).toMatch(/owner o5\) at 11 ms and at least 13 more\./u);
});

it("one that came when some had left is not among them", () => {
  const recording = new Recording({ clients: 4 });
  for (const client of [0, 1, 2]) recording.acquire(client * 2, client, `o${client}`, { limit: 2 });
  recording.release(20, 0, "o0").acquire(30, 3, "o3", { limit: 2 });
  for (const client of [1, 2, 3]) recording.release(40 + client, client, `o${client}`);
  for (const sentence of sentences(recording)) expect(sentence).not.toContain("Meanwhile");
});

it("one that came when some showed no longer that they held is not said to have held with them", () => {
  const recording = new Recording({ clients: 4 });
  for (const client of [0, 1, 2]) recording.acquire(client * 2, client, `o${client}`, { limit: 2 });
  for (const client of [0, 1, 2]) recording.extend(10 + client * 2, client, `o${client}`);
  recording.acquire(30, 3, "o3", { limit: 2 }).release(200, 3, "o3");
  const [held, promised] = sentences(recording);
  expect(held).not.toContain("Meanwhile");
  expect(promised).toContain("Meanwhile");
});
