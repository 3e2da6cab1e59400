import { plainName, textOf } from "./answer-words.ts";
import type { EdnMap, EdnValue } from "./edn-forms.ts";
import { isEdnMap } from "./edn-operations.ts";

/** What is wrong with an operation's fields, and how to mend it. */
export interface FieldDoubt {
  readonly problem: string;
  readonly hint: string;
}

/** How words name the two ways to hold a read-write lock. */
const MODES: ReadonlyMap<unknown, string> = new Map([
  ..."read reader r rd s sh shared".split(" ").map((word) => [word, "shared"] as const),
  ..."write writer w wr x ex excl exclusive".split(" ").map((word) => [word, "exclusive"] as const),
]);
const MODE_WORDS: ReadonlySet<unknown> = new Set(["read", "reader", "shared", "write", "writer", "exclusive"]);
const MODE_FIELDS: ReadonlySet<string> = new Set([
  "mode",
  "lock-mode",
  "lock-type",
  "lock-kind",
  "kind",
  "type",
  "access",
]);
const IF_SHARED: ReadonlySet<string> = new Set(["shared", "read-only", "readonly"]);
/** Fields by which an operation says how its grant shares its key, under their own names. */
const SHARE_FIELDS: ReadonlySet<string> = new Set(["mode", "limit", "permits", "shared"]);
const LIMIT_FIELDS: ReadonlySet<string> = new Set(["limit", "max-permits", "total-permits", "capacity", "max-holders"]);
/** A fencing token in a string: digits, or hexadecimal ones that say so. Others may be either, or have several parts. */
const TOKEN_IN_TEXT = /^(?:0|[1-9]\d*|0x[0-9a-f]+)$/i;
const MAYBE_LIMITS: ReadonlySet<string> = new Set(["max", "slots", "size", "count", "concurrency"]);
const KEY_FIELDS: ReadonlySet<string> = new Set(
  "key lock lock-name resource lock-id lock-key lock-path lockname lockid mutex semaphore".split(" "),
);
/** What may be the mode of a read-write lock, or something else. */
const MAYBE_MODES: ReadonlySet<string> = new Set(["lock-type", "lock-kind", "kind", "access"]);
/** What may name the lock, or something else. */
const MAYBE_KEYS: ReadonlySet<string> = new Set("name path k item object entity row".split(" "));

const LEASE = "(?:ttl|lease|lease-ttl|lease-time|lease-duration|expiry|expire|expires|expires-in|expiration)";
const IN_MS = new RegExp(`^(?:px|${LEASE}-?(?:ms|millis|milliseconds))$`);
const IN_SECONDS = new RegExp(`^${LEASE}-?(?:s|sec|secs|seconds)$`);
const WITHOUT_UNIT = new RegExp(`^${LEASE}$`);
/** A number or a duration in a string: `300`, `30s`, `PT30S`. */
const MAYBE_LENGTH = /^(?:\d|pt?\d)/i;

/**
 * Reads the fields of a lock's operations under the names that others give them: how long the lease lasts, how a grant
 * shares its key, which lock it is. A field that may say one of these, or something else, is a doubt: read wrongly, it
 * would accuse a sound lock.
 */
export class UsualFields {
  readonly #shares = new Map<unknown, string>();
  /** By process, how long a lease it has asked for. */
  readonly #leases = new Map<unknown, EdnValue>();
  readonly #names = new Map<string, string>();

  /** The same operation with lockstorm's names of its fields. */
  of(form: EdnMap, f: string): EdnMap | FieldDoubt {
    const fields = withFieldsOfOperation(form);
    if (isDoubt(fields)) return fields;
    const { value } = fields;
    const own: EdnValue = Array.isArray(value) && value.length === 2 ? (value[1] as EdnValue) : (value ?? null);
    const map = isEdnMap(own) ? own : MODE_WORDS.has(own) ? { mode: own } : undefined;
    if (map === undefined) {
      if (f === "acquire" && form["type"] === "invoke") this.#askPlainly(form);
      return fields;
    }
    const usual = usualMap(map, f === "release" ? "release" : form["type"] === "invoke" ? "invoke" : "answer");
    if (isDoubt(usual)) return usual;
    const doubt =
      f === "acquire"
        ? (this.#doubtShare(form, usual) ?? this.#doubtName(form, usual) ?? this.#doubtLease(form, usual))
        : undefined;
    return (
      doubt ?? {
        ...fields,
        value: own === value || value === undefined ? usual : [(value as EdnValue[])[0] ?? null, usual],
      }
    );
  }

  /** An acquire that states neither how it shares its key nor how long a lease it asks for. */
  #askPlainly({ process = null }: EdnMap): void {
    this.#shares.delete(process);
    this.#leases.delete(process);
  }

  /** How a grant shares its key is known when it is asked for: an answer that says it alone comes too late. */
  #doubtShare({ process = null, type }: EdnMap, { mode = null, limit = null }: EdnMap): FieldDoubt | undefined {
    const share = textOf([mode, limit]);
    const isShared = mode !== null || limit !== null;
    if (type === "invoke") this.#shares.set(process, share);
    if (type !== "ok" || !isShared || this.#shares.get(process) === share) return undefined;
    return {
      problem: "an answer that says how the grant shares its key, where its invocation does not say so",
      hint: "give :mode, or :limit and :permits, in the :value of the acquire's :invoke",
    };
  }

  /** A lease of which the invocation says nothing, or that is shorter, would be taken for one that lasts longer. */
  #doubtLease({ process = null, type }: EdnMap, value: EdnMap): FieldDoubt | undefined {
    if (type === "invoke") this.#leases.set(process, value["ttlMs"] ?? null);
    if (type !== "ok" || value["validForMs"] !== undefined) return undefined;
    const asked = this.#leases.get(process) ?? null;
    for (const [field, stated = null] of Object.entries(value)) {
      const [, told = null] = leaseField(plainName(field), stated) ?? [];
      if (typeof told !== "number" || (typeof asked === "number" && asked <= told)) continue;
      return {
        problem: `:${field} ${textOf(stated)}: a lease that the acquire's invocation does not state`,
        hint: "give the length of the lease as :ttlMs in the :value of the :invoke, or what is left of it as :validForMs",
      };
    }
    return undefined;
  }

  /** A field that may name the lock, or its mode, names something if it is not the same in all acquires. */
  #doubtName({ type, key }: EdnMap, value: EdnMap): FieldDoubt | undefined {
    if (type !== "invoke") return undefined;
    const isNamed = (key ?? value["key"]) !== undefined;
    const { mode } = value;
    for (const name of mode === undefined ? [] : MAYBE_MODES)
      this.#names.set(name, this.#names.get(name) ?? textOf(mode));
    for (const [field, stated = null] of Object.entries(value)) {
      const name = plainName(field);
      const isMode = MAYBE_MODES.has(name) && mode === undefined;
      const mayName = !isNamed && (MAYBE_KEYS.has(name) || (KEY_FIELDS.has(name) && typeof stated !== "boolean"));
      if ((!isMode && !mayName) || stated === null) continue;
      const text = textOf(stated);
      const first = this.#names.get(name) ?? text;
      this.#names.set(name, first);
      if (first === text) continue;
      return {
        problem: `:${field} ${text}, where an earlier acquire has ${first}: ${isMode ? "may several clients hold the lock?" : "does it name the lock?"}`,
        hint: isMode
          ? "give :mode, :shared or :exclusive; if the field says something else, leave it out"
          : "give the name of the lock as :key; if it names something else, leave the field out",
      };
    }
    return undefined;
  }
}

export function isDoubt(usual: EdnMap | FieldDoubt): usual is FieldDoubt {
  return "problem" in usual && "hint" in usual;
}

/** The operation with what it says of its lock beside its value. */
function withFieldsOfOperation(form: EdnMap): EdnMap | FieldDoubt {
  const { value = null } = form;
  const entries = Object.entries(form).map(([field, stated]) => [plainName(field), field, stated] as const);
  const key = entries.find(([name, , stated]) => KEY_FIELDS.has(name) && isNameOfLock(name, stated));
  const beside = entries.filter(([name, , stated]) => isBesideValue(name) && stated !== null && stated !== undefined);
  const named = key === undefined ? form : { ...form, key: key[2] ?? null };
  const [first] = beside;
  if (first === undefined) return named;
  if (value === null || isEdnMap(value)) {
    const fields = Object.fromEntries(beside.map(([, field, stated]) => [field, stated ?? null]));
    return { ...named, value: { ...fields, ...value } };
  }
  // The answer repeats what its invocation had.
  if (form["type"] !== "invoke" && !beside.some(([name]) => SHARE_FIELDS.has(name))) return named;
  return {
    problem: `:${first[1]} beside a :value that is no map`,
    hint: "write both in a map: :value {:mode :shared}, :limit and :permits, or :ttlMs; and the lock's name as :key",
  };
}

/** Whether a field of an operation says how its grant shares its key, or for how long it lasts. `:type` is the operation's own. */
function isBesideValue(name: string): boolean {
  if (name === "type") return false;
  if (SHARE_FIELDS.has(name) || MODE_FIELDS.has(name) || IF_SHARED.has(name) || name === "exclusive") return true;
  if (LIMIT_FIELDS.has(name) || MAYBE_LIMITS.has(name)) return true;
  return IN_MS.test(name) || IN_SECONDS.test(name) || WITHOUT_UNIT.test(name);
}

function isName(value: EdnValue | undefined): boolean {
  return (typeof value === "string" && value !== "") || typeof value === "number" || typeof value === "bigint";
}

/** Whether the field of an operation names its lock: a vector or a map may do so too. */
function isNameOfLock(name: string, value: EdnValue | undefined): boolean {
  return (
    isName(value) || (typeof value === "object" && value !== null) || (name === "key" && typeof value === "boolean")
  );
}

/** `part` is what the map is the value of. */
function usualMap(map: EdnMap, part: "invoke" | "answer" | "release"): EdnMap | FieldDoubt {
  const usual: Record<string, EdnValue> = {};
  for (const [field, stated = null] of Object.entries(map)) {
    const name = plainName(field);
    const share = part === "release" ? undefined : shareField(name, stated);
    const lease = part === "invoke" ? leaseField(name, stated) : undefined;
    const doubt = part === "invoke" ? doubtOf(name, field, stated) : undefined;
    if (doubt !== undefined) return doubt;
    const [known, value] = share ??
      lease ??
      tokenField(field, stated) ?? [KEY_FIELDS.has(name) && isName(stated) ? "key" : field, stated];
    if (!(known in usual) || known === field) usual[known] = value;
  }
  return usual;
}

function shareField(name: string, stated: EdnValue): readonly [string, EdnValue] | undefined {
  const mode = MODE_FIELDS.has(name) ? MODES.get(typeof stated === "string" ? plainName(stated) : stated) : undefined;
  if (mode !== undefined) return ["mode", mode];
  if (IF_SHARED.has(name) && typeof stated === "boolean") return ["mode", stated ? "shared" : "exclusive"];
  if (name === "exclusive" && typeof stated === "boolean") return ["mode", stated ? "exclusive" : "shared"];
  return LIMIT_FIELDS.has(name) && stated !== null ? ["limit", stated] : undefined;
}

function leaseField(name: string, stated: EdnValue): readonly [string, EdnValue] | undefined {
  if (typeof stated !== "number" && typeof stated !== "bigint") return undefined;
  const length = Number(stated);
  if (IN_MS.test(name)) return ["ttlMs", length];
  return IN_SECONDS.test(name) ? ["ttlMs", Math.round(length * 1000)] : undefined;
}

function tokenField(field: string, stated: EdnValue): readonly [string, EdnValue] | undefined {
  return field === "fence" && typeof stated === "string" && TOKEN_IN_TEXT.test(stated)
    ? [field, Number(stated)]
    : undefined;
}

function doubtOf(name: string, field: string, stated: EdnValue): FieldDoubt | undefined {
  if (stated === null) return undefined;
  const text = textOf(stated);
  const isNumber = typeof stated === "number" || typeof stated === "bigint";
  if ((IN_MS.test(name) || IN_SECONDS.test(name)) && !isNumber) {
    return { problem: `:${field} ${text}: no number`, hint: "give the length of the lease as :ttlMs, in milliseconds" };
  }
  if (WITHOUT_UNIT.test(name) && (isNumber || (typeof stated === "string" && MAYBE_LENGTH.test(stated)))) {
    return {
      problem: `:${field} ${text}: a lease without a unit?`,
      hint: "give the length of the lease as :ttlMs, in milliseconds; if it is none, give the field another name",
    };
  }
  const mayShare =
    ((IF_SHARED.has(name) || name === "exclusive") && typeof stated !== "boolean") ||
    (name === "lock-mode" && !MODES.has(typeof stated === "string" ? plainName(stated) : stated)) ||
    (MAYBE_LIMITS.has(name) && isCountOfSeveral(stated));
  if (!mayShare) return undefined;
  return {
    problem: `:${field} ${text}: may several clients hold the lock?`,
    hint: "give the number of a semaphore's permits as :limit, or :mode, :shared or :exclusive; if it is something else, leave the field out",
  };
}

/** Whether it may be the number of a semaphore's permits, and more than one. */
function isCountOfSeveral(stated: EdnValue): boolean {
  if (typeof stated === "string") return /^\d+$/.test(stated) && Number(stated) !== 1;
  return (typeof stated === "number" || typeof stated === "bigint") && stated > 1;
}
