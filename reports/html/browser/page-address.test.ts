import { expect, test } from "vitest";
import { addressText, readAddress, type PageAddress } from "./page-address.ts";

test("an address that was written is read again; what names nothing is the first run", () => {
  const addresses: readonly PageAddress[] = [
    { run: 3 },
    { run: 0, part: { kind: "event", event: 17 } },
    { run: 2, part: { kind: "violation", violation: 1 } },
    { run: 0, part: { kind: "moment", story: 1, moment: 12 } },
  ];
  for (const address of addresses) expect(readAddress(addressText(address))).toEqual(address);
  for (const hash of ["", "#content", "#run-x", "#run-1/event-", "#run-1/moment-3x"])
    expect(readAddress(hash).part).toBeUndefined();
  expect(readAddress("#run-1/moment-3")).toEqual({ run: 1 });
});
