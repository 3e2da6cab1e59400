const MOST = 80;

/** The beginning of a reply for people to read. @param text in RESP, one byte per UTF-16 unit */
export function replyWords(text: string): string {
  const end = text.indexOf("\r\n");
  const head = text.slice(1, end < 0 ? undefined : end);
  switch (text[0]) {
    case "_":
      return "nil";
    case "#":
      return head === "t" ? "true" : "false";
    case "$":
    case "=":
      return head === "-1" ? "nil" : shortText(text.slice(end + 2, end + 2 + Number(head)));
    case "*":
    case "~":
    case "%":
    case ">":
      return head === "-1" ? "nil" : `${head} items`;
    default:
      return shortText(head);
  }
}

/** The beginning of a server's text. @param text one byte per UTF-16 unit */
export function shortText(text: string): string {
  const decoded = Buffer.from(text.slice(0, 4 * MOST), "latin1").toString("utf8");
  return decoded.length <= MOST ? decoded : `${decoded.slice(0, MOST - 1)}…`;
}
