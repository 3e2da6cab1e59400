import type { EdnMap, EdnValue } from "./edn-forms.ts";

/** What an operation of a lock says by its value where the lock did what it was asked for. */
const DONE: ReadonlySet<string> = new Set([
  ..."true|t|yes|y|ok|acquired|granted|got|got-it|obtained|taken|success|succeeded|won|released|unlocked".split("|"),
  ..."renewed|extended|refreshed".split("|"),
]);

/** What it says where the lock refused. A time-out is none of these: nobody knows whether it took effect. */
const DENIED: ReadonlySet<string> = new Set([
  ..."false|f|no|n|contended|busy|refused|denied|rejected|failed|failure|fail|not-acquired|not-granted|not-locked".split(
    "|",
  ),
  ..."unavailable|already-locked|locked-by-other|held-by-other|conflict|would-block|lost".split("|"),
]);

/** What a release says where its client held nothing, as in Jepsen's tests of etcd and Hazelcast, and in others. */
const NOTHING_HELD: ReadonlySet<string> = new Set([
  ..."not-held|not-holder|not-owner|not-owned|not-lock-owner|not-permit-owner|not-found|expired|gone|missing".split(
    "|",
  ),
]);

/** The fields of a value by which a client says whether its lock did what it asked for. */
const ANSWER_FIELDS: ReadonlySet<string> = new Set([
  ..."acquired|granted|released|extended|renewed|success|succeeded|got|got-it|locked|obtained|won|taken".split("|"),
]);

/** The same, where a number may be a code: 0 is often a success, and 409 a refusal. */
const CODE_FIELDS: ReadonlySet<string> = new Set([
  ..."result|status|outcome|ok|response|reply|answer|return|returned|error|code|status-code|http-status".split("|"),
]);

/** The fields by which an answer names what was granted. */
const TOKEN_FIELDS = [
  "owner",
  "token",
  "fence",
  "fencing-token",
  "uid",
  "handle",
  "lease-id",
  "revision",
  "uuid",
] as const;

/** Fields with `true` or `false` that are no answer. */
const OTHER_FLAGS: ReadonlySet<string> = new Set([
  "inner",
  "reentrant",
  "reentered",
  "shared",
  "exclusive",
  "fair",
  "waited",
]);

/** `empty`: it names nothing that was granted, which is a refusal where other answers name something. */
type AnswerKind = "done" | "denied" | "nothing-held" | "token" | "empty" | "plain";

export interface StatedAnswer {
  readonly kind: AnswerKind;
  /** What says it, to tell words apart of which nobody knows the meaning. */
  readonly word: string;
}

/** The answer in the value of an operation that ended well, as far as its invocation did not say the same. */
export function answerIn(value: EdnValue, asked: EdnValue): StatedAnswer {
  const own = withoutKey(value);
  const text = textOf(own);
  if (text !== "null" && text === textOf(withoutKey(asked))) return { kind: "plain", word: "" };
  if (!isMap(own)) return answerOfWord(own);
  return answerOfMap(own, withoutKey(asked));
}

/** The first of these fields by which a lock says that it refused, if there is one. */
export function refusingField(fields: EdnMap): string | undefined {
  return Object.keys(fields).find((field) => answerOfField(field, fields[field])?.kind === "denied");
}

/** The value of an operation, without the key of a pair. */
function withoutKey(value: EdnValue): EdnValue {
  return Array.isArray(value) && value.length === 2 ? (value[1] as EdnValue) : value;
}

export function textOf(value: EdnValue | undefined): string {
  const text = JSON.stringify(value ?? null, (_, part: unknown) => (typeof part === "bigint" ? part.toString() : part));
  return text;
}

function answerOfMap(value: EdnMap, asked: EdnValue): StatedAnswer {
  const fields = Object.entries(value).filter(([field, stated]) => !isAsked(asked, field, stated));
  const tokens = fields.filter(([field]) => TOKEN_FIELDS.some((known) => known === plainName(field)));
  for (const [field, stated] of fields) {
    const answer = answerOfField(field, stated);
    if (answer !== undefined) return answer;
  }
  if (tokens.some(([, stated]) => !isEmpty(stated))) return { kind: "token", word: "" };
  return { kind: tokens.length > 0 || Object.keys(value).length === 0 ? "empty" : "plain", word: "" };
}

/** What one field says; undefined where it is no answer. */
function answerOfField(field: string, stated: EdnValue | undefined): StatedAnswer | undefined {
  const name = plainName(field);
  const word = `:${field} ${textOf(stated)}`;
  if (ANSWER_FIELDS.has(name)) {
    const { kind } = answerOfWord(stated);
    return { kind: kind === "token" ? "done" : kind, word };
  }
  if (!CODE_FIELDS.has(name)) {
    return typeof stated === "boolean" && !OTHER_FLAGS.has(name) ? { kind: "plain", word } : undefined;
  }
  if (stated === null && name === "error") return undefined;
  return typeof stated === "number" ? { kind: "plain", word } : { ...answerOfWord(stated), word };
}

function isAsked(asked: EdnValue, field: string, stated: EdnValue | undefined): boolean {
  return isMap(asked) && field in asked && textOf(asked[field]) === textOf(stated);
}

function answerOfWord(value: EdnValue | undefined): StatedAnswer {
  const word = textOf(value);
  if (isEmpty(value)) return { kind: "empty", word };
  if (typeof value === "number" || typeof value === "bigint") return { kind: "token", word };
  if (typeof value !== "string" && typeof value !== "boolean") return { kind: "token", word };
  const name = plainName(String(value));
  if (DONE.has(name)) return { kind: "done", word };
  if (DENIED.has(name)) return { kind: "denied", word };
  if (NOTHING_HELD.has(name)) return { kind: "nothing-held", word };
  return { kind: /\d/.test(name) ? "token" : "plain", word };
}

/** Whether it names nothing that was granted: a counter of fencing tokens begins at 1. */
function isEmpty(value: EdnValue | undefined): boolean {
  if (value === undefined || value === null || value === "") return true;
  if (typeof value === "number" || typeof value === "bigint") return value <= 0;
  return Array.isArray(value) && value.length === 0;
}

/** A name in small letters, with hyphens, without namespace and question mark. */
export function plainName(name: string): string {
  return name
    .slice(name.lastIndexOf("/") + 1)
    .replace(/([a-z])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .replaceAll(/[_ ]/g, "-")
    .replace(/[?!]$/, "");
}

function isMap(value: EdnValue | undefined): value is EdnMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
