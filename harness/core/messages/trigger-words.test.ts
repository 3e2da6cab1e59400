import { expect, test } from "vitest";
import { messageWords, neverCame, whenCame } from "./trigger-words.ts";

test("a message is named by what its trigger says of it", () => {
  expect(messageWords({ moment: "before" })).toBe("the first message");
  expect(messageWords({ moment: "before", command: "SET", client: 1, server: "node-0", count: 2 })).toBe(
    "the 2nd SET of client-1 at node-0",
  );
  expect(messageWords({ moment: "send", key: "k 1", count: 111 })).toBe('the 111th message for "k 1"');
});

test("when something came", () => {
  const message = { command: "DEL", client: 0 };
  expect(whenCame({ ...message, moment: "send" })).toBe("when the first DEL of client-0 was about to be sent");
  expect(whenCame({ ...message, moment: "before" })).toBe("when the first DEL of client-0 had reached its server");
  expect(whenCame({ ...message, moment: "before", server: "node-1", afterMs: 2.5 })).toBe(
    "2.5 ms after the first DEL of client-0 at node-1 had reached it",
  );
  expect(whenCame({ ...message, moment: "after" })).toBe("when the first DEL of client-0 had been applied");
  expect(whenCame({ ...message, moment: "reply", count: 3 })).toBe("when the 3rd DEL of client-0 had been answered");
});

test("what did not happen", () => {
  const message = { command: "DEL", client: 0, count: 3 };
  expect(neverCame({ ...message, moment: "send" })).toBe("the 3rd DEL of client-0 was never sent");
  expect(neverCame({ ...message, moment: "before" })).toBe("the 3rd DEL of client-0 never reached a server");
  expect(neverCame({ ...message, moment: "before", server: "node-1" })).toBe(
    "the 3rd DEL of client-0 at node-1 never reached it",
  );
  expect(neverCame({ ...message, moment: "after" })).toBe("the 3rd DEL of client-0 was never applied");
  expect(neverCame({ ...message, moment: "reply" })).toBe("the 3rd DEL of client-0 was never answered");
});
