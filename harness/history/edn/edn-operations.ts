import { plainName } from "./answer-words.ts";
import type { EdnMap, EdnValue } from "./edn-forms.ts";

/** What a release says in Jepsen's tests where its client did not hold the lock: etcd's, and Hazelcast's two. */
const NOT_HELD: ReadonlySet<unknown> = new Set(["not-held", "not-lock-owner", "not-permit-owner"]);

/** The fields of a value that name the lock, beside the operation's own `:key`. */
const KEY_FIELDS = ["key", "lock", "lock-name", "resource"] as const;

/** The names of a lock's operations in Jepsen's workloads and their like, without the word `lock` at their end. */
const OPERATION_NAMES = new Map(
  Object.entries({
    acquire: "acquire lock try-lock trylock try-acquire tryacquire get-lock obtain obtain-lock pg-try-advisory-lock",
    release: "release unlock pg-advisory-unlock",
    extend: "extend refresh renew",
  }).flatMap(([operation, names]) =>
    names.split(" ").flatMap((name) => [name, `${name}-lock`].map((one) => [one, operation])),
  ),
);

/** The operation of this name, which for a lock's may have a namespace, capitals, capitals within and underscores. */
export function operationOf(name: string): string {
  return OPERATION_NAMES.get(plainName(name)) ?? name;
}

export const TYPES: ReadonlySet<unknown> = new Set(["invoke", "ok", "fail", "info"]);

/** The operations of a read-write lock, such as `read-lock` or `acquire-shared`: a word for the mode before or after. */
const WITH_MODE = /^(?:(read|write|shared|exclusive)-(.+)|(.+)-(read|write|shared|exclusive))$/;

/** The same operation, where it has `:op` in place of `:f` or of `:type`, or a name that says how it shares its key. */
export function withUsualNames(form: EdnMap): EdnMap {
  const usual = withOp(form);
  const [, before, rest, start, after] =
    typeof usual["f"] === "string" ? (WITH_MODE.exec(plainName(usual["f"])) ?? []) : [];
  const f = OPERATION_NAMES.get(rest ?? start ?? "");
  return f === undefined ? usual : { ...usual, f, mode: before ?? after ?? null };
}

function withOp(form: EdnMap): EdnMap {
  const { op } = form;
  if (op === undefined || ("f" in form && "type" in form)) return form;
  if (TYPES.has(op)) return "type" in form ? form : { ...form, type: op };
  return "f" in form ? form : { ...form, f: op };
}

/** An end of an operation that says something else than its type and value do by themselves. */
export interface EdnAnswer {
  readonly type: string;
  readonly value: object | undefined;
}

/**
 * What an operation's end says, if not what its type says. A release that failed because its client did not hold found
 * nothing to release. An operation that ended well and has an error all the same, as Jepsen's etcd test ends a release,
 * has an unknown outcome.
 */
export function answerOf(f: string, type: string, { error = null, value = null }: EdnMap): EdnAnswer | undefined {
  if (f !== "acquire" && f !== "extend" && f !== "release") return undefined;
  const [first] = Array.isArray(error) ? (error as readonly EdnValue[]) : [error];
  if (f === "release" && type === "fail" && NOT_HELD.has(first)) {
    return { type: "ok", value: { ...(isEdnMap(value) ? value : {}), released: false } };
  }
  if (type !== "ok" || error === null) return undefined;
  return { type: "info", value: { reason: typeof error === "string" ? error : JSON.stringify(error, withBigints) } };
}

/** The type of an operation, whatever its capitals. */
export function typeOf({ type }: EdnMap): string | undefined {
  return typeof type === "string" ? type.toLowerCase() : undefined;
}

/** What an operation says that the lock refused, although it ended well. */
export function refusalOf(f: string): EdnAnswer {
  if (f === "release") return { type: "ok", value: { released: false } };
  return { type: "fail", value: { reason: f === "acquire" ? "contended" : "false" } };
}

/**
 * The key of an operation (its own field, the first of a pair as in `jepsen.independent`, or a field of its value) and
 * the rest of its value; no key if it names none.
 */
export function named(form: EdnMap): { readonly key: string | undefined; readonly value: EdnMap } {
  const { key, value } = form;
  const own = nameOf(key);
  if (own !== undefined) return { key: own, value: isEdnMap(value) ? value : {} };
  if (Array.isArray(value) && value.length === 2) {
    const rest: unknown = value[1];
    return { key: nameOf(value[0]) ?? String(value[0]), value: isEdnMap(rest) ? rest : {} };
  }
  if (!isEdnMap(value)) return { key: undefined, value: {} };
  const names = KEY_FIELDS.map((field) => (field === "key" ? nameOf : ednText)(value[field]));
  return { key: names.find((name) => name !== undefined), value };
}

/** Whether an EDN value is a map. */
export function isEdnMap(value: unknown): value is EdnMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A string, keyword, symbol or number as a string. */
export function ednText(value: unknown): string | undefined {
  const isScalar = typeof value === "string" || typeof value === "number" || typeof value === "bigint";
  return isScalar ? String(value) : undefined;
}

/** What names a lock or an owner, as a string: a vector or map may do so too, and of a key also `true` or `false`. */
export function nameOf(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : (ednText(value) ?? JSON.stringify(value, withBigints));
}

/** For `JSON.stringify`: big integers in digits. */
export function withBigints(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}
