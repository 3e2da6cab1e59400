import { OUTLASTING, type Scale, section, type Shape, SOON_MS } from "./shape.ts";

/**
 * Several keys in one acquisition: when it fails, or is released, somebody asks for each of its keys alone, long after
 * everything that was sent has arrived and long before a lease of what was left behind is over.
 */
export function severalKeysShapes(scale: Scale): readonly Shape[] {
  const { leaseMs } = scale;
  const plain = { ...section(scale, []), ttlMs: OUTLASTING * leaseMs, tries: 1 };
  const whole = section(scale, []);
  const stay = (share: number) => ({ do: "hold" as const, forMs: Math.round(share * leaseMs) });
  const holds = { ...plain, steps: [stay(0.3)] };
  const at = (share: number) => ({ after: { atMs: Math.round(share * leaseMs) + SOON_MS } });
  const probes = ["k1", "k2", "k3"].map((key) => ({ ...plain, key, waitMs: 0, ...at(2) }));
  const set = (key: string, ...alsoKeys: string[]) => ({ key, alsoKeys });
  return [
    {
      name: "the second key held",
      clients: [[{ ...holds, key: "k2" }, ...probes], [{ ...plain, ...set("k1", "k2", "k3"), waitMs: 0, ...at(0) }]],
    },
    {
      name: "the last key held",
      clients: [[{ ...holds, key: "k1" }, ...probes], [{ ...plain, ...set("k3", "k2", "k1"), waitMs: 0, ...at(0) }]],
    },
    {
      name: "several keys released",
      clients: [[{ ...holds, ...set("k1", "k2", "k3") }], [{ ...plain, key: "k2", waitMs: 0, ...at(0) }, ...probes]],
    },
    {
      name: "several keys for a whole lease",
      // The lease of the first key is over first, if the others are taken later: somebody wants it then, for a while.
      clients: [
        [{ ...whole, ...set("k1", "k2", "k3"), steps: [stay(0.98), { do: "write" as const }] }],
        [{ ...whole, key: "k1", ...at(0.1), steps: [stay(0.7), { do: "write" as const }] }],
      ],
    },
    {
      name: "several keys waited for",
      clients: [[{ ...holds, ...set("k2", "k3") }, ...probes], [{ ...holds, ...set("k1", "k2"), ...at(0) }]],
    },
  ];
}

/** The lease of several keys is extended, and somebody asks for each of them alone when the first lease is over: the last one first. */
export function severalKeysExtended(scale: Scale): readonly Shape[] {
  const { leaseMs } = scale;
  const plain = { ...section(scale, []), tries: 1 };
  const share = (of: number): number => Math.round(of * leaseMs);
  const steps = [
    { do: "hold" as const, forMs: share(0.5) },
    { do: "extend" as const, ttlMs: leaseMs },
    { do: "hold" as const, forMs: share(0.8) },
  ];
  return [
    {
      name: "several keys extended",
      clients: [
        [{ ...plain, key: "k1", alsoKeys: ["k2", "k3"], steps }],
        ["k3", "k2", "k1"].map((key) => ({ ...plain, key, waitMs: 0, after: { atMs: share(1.1) + SOON_MS } })),
      ],
    },
  ];
}
