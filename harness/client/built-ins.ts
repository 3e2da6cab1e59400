import { EventEmitter } from "node:events";
import { messageOf, UserError } from "../core/errors.ts";

/*
 * A lock under test shares the objects of the language and of Node with the harness, where both run in one process. What looks at
 * them may run when any function of the language is gone: it uses loops by index, and functions that it took before.
 */
const { apply, defineProperty, deleteProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;
const description = getOwnPropertyDescriptor(Symbol.prototype, "description")!.get!;

const GLOBALS = `
  AbortController AbortSignal Array ArrayBuffer BigInt Boolean Buffer DataView Date Error Event EventTarget
  Function Iterator JSON Map Math Number Object Promise RangeError RegExp Set String Symbol TextDecoder
  TextEncoder TypeError URL URLSearchParams Uint8Array WeakMap WeakRef WeakSet clearImmediate clearInterval
  clearTimeout queueMicrotask setImmediate setInterval setTimeout structuredClone
`
  .trim()
  .split(/\s+/);
const NAMESPACES = ["JSON", "Math"];
/** At most so many altered properties are named. */
const NAMED = 3;

type Descriptors = (PropertyDescriptor | undefined)[];

/** An object that is looked after. */
interface Known {
  readonly owner: object;
  /** `Promise.prototype`; "" for `globalThis`. */
  readonly name: string;
  /** The properties that can be altered. */
  readonly keys: readonly PropertyKey[];
  /** With those that cannot. */
  readonly allKeys: readonly PropertyKey[];
  /** By index of `keys`. */
  readonly original: Descriptors;
  /** When a run began; and the keys then. */
  readonly atBegin: Descriptors;
  keysAtBegin: readonly PropertyKey[];
}

const known: Known[] = [];

/** From now on, what is there counts as original: called when the platform was patched, before any lock is loaded. */
export function noteBuiltIns(): void {
  if (known.length > 0) return;
  note(globalThis, "", GLOBALS);
  for (const name of GLOBALS) {
    const value: unknown = Reflect.get(globalThis, name);
    if (typeof value === "function" || NAMESPACES.includes(name)) noteWithPrototype(value as object, name);
  }
  noteWithPrototype(EventEmitter, "EventEmitter");
  noteWithPrototype(getPrototypeOf(Uint8Array)!, "TypedArray");
  const iterators: Readonly<Record<string, object>> = {
    ArrayIterator: [][Symbol.iterator](),
    MapIterator: new Map()[Symbol.iterator](),
    SetIterator: new Set()[Symbol.iterator](),
    StringIterator: ""[Symbol.iterator](),
  };
  for (const [name, iterator] of Object.entries(iterators)) {
    const prototype = getPrototypeOf(iterator)!;
    note(prototype, `${name}.prototype`, ownKeys(prototype));
  }
}

function noteWithPrototype(owner: object, name: string): void {
  note(owner, name, ownKeys(owner));
  const prototype: unknown = getOwnPropertyDescriptor(owner, "prototype")?.value;
  // That of Function is a function.
  if ((typeof prototype === "object" && prototype !== null) || typeof prototype === "function") {
    note(prototype, `${name}.prototype`, ownKeys(prototype));
  }
}

function note(owner: object, name: string, all: readonly PropertyKey[]): void {
  const keys = all.filter((key) => {
    const descriptor = getOwnPropertyDescriptor(owner, key);
    // `Error.stackTraceLimit` is there to be set.
    return descriptor?.configurable === true || (descriptor?.writable === true && key !== "stackTraceLimit");
  });
  const original = keys.map((key) => asData(owner, key));
  known.push({ owner, name, keys, allKeys: all, original, atBegin: [...original], keysAtBegin: all });
}

/** Node gives some of its globals by an accessor that anybody can set: what counts is what they are. */
function asData(owner: object, key: PropertyKey): PropertyDescriptor | undefined {
  const descriptor = getOwnPropertyDescriptor(owner, key);
  if (owner !== globalThis || descriptor?.get === undefined) return descriptor;
  return { value: Reflect.get(owner, key), writable: true, enumerable: false, configurable: true };
}

/** This thread has no other program: what is altered here may be put back. */
export function ownBuiltIns(): void {
  isOurs = true;
}

let isOurs = false;
let isRunning = false;

/** Clients begin to load modules of their own, and will apply anew what they alter; said by each client of a run. */
export function beginRunWithBuiltIns(): void {
  if (isRunning) return;
  isRunning = true;
  for (let index = 0; index < known.length; index++) {
    const each = known[index]!;
    const { owner, name, keys, atBegin } = each;
    for (let at = 0; at < keys.length; at++) {
      if (!isAs(owner, keys[at]!, atBegin[at])) atBegin[at] = asData(owner, keys[at]!);
    }
    if (name !== "") each.keysAtBegin = ownKeys(owner);
  }
}

/** A run is over: what such clients altered becomes as it was when it began. */
export function endRunWithBuiltIns(): void {
  if (!isRunning) return;
  isRunning = false;
  for (let index = 0; index < known.length; index++) {
    const { owner, name, keys, atBegin, keysAtBegin } = known[index]!;
    putBack(owner, keys, atBegin);
    // Each program has its own additions to `globalThis`.
    if (name !== "") removeAdditions(owner, keysAtBegin);
  }
}

/** @throws UserError when something else is in the place of a function: the harness needs the functions too */
export function requireBuiltIns(lock: string): void {
  const broken = namesOf(isBroken);
  if (broken === "") return;
  putBackAll();
  throw new UserError(wordsFor(lock, broken), LEAVE);
}

/**
 * The error to report for one that the harness met: if somebody altered what the harness needs too, that. In a thread of the
 * harness's own everything is then as it was originally, so that it can be reported.
 */
export function blamedOnBuiltIns(error: unknown, lock = "the lock"): unknown {
  const altered = namesOf(isAltered) || enumerableAdditions();
  if (altered === "") return error;
  // What a client could not do may be told as its driver's error; a function that is gone is the reason for it.
  const isTold = error instanceof UserError && namesOf(isBroken) === "";
  putBackAll();
  if (isTold) return error;
  const words = wordsFor(lock, altered);
  return new UserError(error === undefined ? words : `${words}: ${messageOf(error)}`, LEAVE, { cause: error });
}

function putBackAll(): void {
  if (!isOurs) return;
  isRunning = false;
  for (let index = 0; index < known.length; index++) {
    const { owner, name, keys, allKeys, original } = known[index]!;
    putBack(owner, keys, original);
    if (name !== "") removeAdditions(owner, allKeys);
  }
}

function wordsFor(lock: string, altered: string): string {
  return `${lock} altered ${altered}, which lockstorm needs too`;
}

const LEAVE = "leave the objects of the language as they are, or give each client a process of its own: --backend live";

/** Whether a property is what this descriptor says. */
function isAs(owner: object, key: PropertyKey, descriptor: PropertyDescriptor | undefined): boolean {
  if (descriptor === undefined) return getOwnPropertyDescriptor(owner, key) === undefined;
  if (descriptor.get === undefined && descriptor.set === undefined) {
    return (owner as Readonly<Record<PropertyKey, unknown>>)[key] === descriptor.value;
  }
  const now = getOwnPropertyDescriptor(owner, key);
  return now?.get === descriptor.get && now?.set === descriptor.set;
}

function isAltered(owner: object, key: PropertyKey, original: PropertyDescriptor | undefined): boolean {
  return !isAs(owner, key, original);
}

/** Whether a function is gone. */
function isBroken(owner: object, key: PropertyKey, original: PropertyDescriptor | undefined): boolean {
  if (typeof original?.value !== "function") return false;
  return typeof (owner as Readonly<Record<PropertyKey, unknown>>)[key] !== "function";
}

/** The first of those that are so, in words: `Promise.prototype.then and 3 others`. */
function namesOf(is: typeof isAltered): string {
  let names = "";
  let count = 0;
  for (let index = 0; index < known.length; index++) {
    const { owner, name, keys, original } = known[index]!;
    for (let at = 0; at < keys.length; at++) {
      if (!is(owner, keys[at]!, original[at])) continue;
      if (count < NAMED) names += `${count === 0 ? "" : ", "}${pathOf(name, keys[at]!)}`;
      count++;
    }
  }
  return count <= NAMED ? names : `${names} and ${count - NAMED} more`;
}

/** What a loop over the properties of any object meets. */
function enumerableAdditions(): string {
  for (let index = 0; index < known.length; index++) {
    const { owner, name, allKeys } = known[index]!;
    if (name !== "Object.prototype" && name !== "Array.prototype") continue;
    const now = ownKeys(owner);
    for (let at = 0; at < now.length; at++) {
      const isNew = !isAmong(allKeys, now[at]!);
      if (isNew && getOwnPropertyDescriptor(owner, now[at]!)?.enumerable === true) return pathOf(name, now[at]!);
    }
  }
  return "";
}

function pathOf(name: string, key: PropertyKey): string {
  if (typeof key === "symbol") return `${name}[${apply(description, key, [])}]`;
  return name === "" ? `${key}` : `${name}.${key}`;
}

function putBack(owner: object, keys: readonly PropertyKey[], descriptors: Descriptors): void {
  for (let at = 0; at < keys.length; at++) {
    const descriptor = descriptors[at];
    if (isAs(owner, keys[at]!, descriptor)) continue;
    if (descriptor === undefined) deleteProperty(owner, keys[at]!);
    else defineProperty(owner, keys[at]!, descriptor);
  }
}

/** Removes the properties that were not there. */
function removeAdditions(owner: object, before: readonly PropertyKey[]): void {
  const now = ownKeys(owner);
  if (now.length === before.length) return;
  for (let at = 0; at < now.length; at++) {
    if (!isAmong(before, now[at]!) && getOwnPropertyDescriptor(owner, now[at]!)?.configurable === true) {
      deleteProperty(owner, now[at]!);
    }
  }
}

function isAmong(keys: readonly PropertyKey[], key: PropertyKey): boolean {
  for (let at = 0; at < keys.length; at++) if (keys[at] === key) return true;
  return false;
}
