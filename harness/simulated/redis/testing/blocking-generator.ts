import type { Random } from "../../../core/random.ts";
import type { Step } from "./scenario.ts";

const KEYS = ["q", "r", "s", "z"];
const STREAMS = ["x", "y", "q"];
/** Connections that may block; `p` never does. */
const CONNECTIONS = ["a", "b", "c", "d", "p"];

/** Draws steps of several connections that wait for lists and sorted sets, add values, and continue. */
export class BlockingGenerator {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  static readonly names: readonly string[] = CONNECTIONS;

  next(blocked: ReadonlySet<string>): Step {
    const free = CONNECTIONS.filter((name) => !blocked.has(name));
    const on = this.#pick(free);
    const send = on === "p" || this.#random.integer(0, 3) === 0 ? this.#feeding() : this.#waiting();
    return this.#random.integer(0, 9) === 0 ? { on, send, advanceMs: this.#random.integer(1, 900) } : { on, send };
  }

  #pick<T>(items: readonly T[]): T {
    const item = items[this.#random.integer(0, items.length - 1)];
    if (item === undefined) throw new RangeError("nothing to pick from");
    return item;
  }

  #keys(): string[] {
    return Array.from({ length: this.#random.integer(1, 3) }, () => this.#pick(KEYS));
  }

  #waiting(): readonly string[] {
    const timeout = this.#pick(["0", "0", "0.3", "1"]);
    const end = (): string => this.#pick(["left", "right"]);
    const keys = this.#keys();
    const [first = "", second = first] = keys;
    if (this.#random.integer(0, 2) === 0) return this.#reading();
    switch (this.#random.integer(0, 7)) {
      case 0:
      case 1:
        return [this.#pick(["blpop", "brpop"]), ...keys, timeout];
      case 2:
        return ["brpoplpush", first, second, timeout];
      case 3:
        return ["blmove", first, second, end(), end(), timeout];
      case 4:
        return ["blmpop", timeout, String(keys.length), ...keys, end(), "count", this.#pick(["1", "2", "9"])];
      case 5:
        return ["bzmpop", timeout, String(keys.length), ...keys, this.#pick(["min", "max"]), "count", "2"];
      default:
        return [this.#pick(["bzpopmin", "bzpopmax"]), ...keys, timeout];
    }
  }

  #reading(): readonly string[] {
    const [one, other] = [this.#pick(STREAMS), this.#pick(STREAMS)];
    const wait = ["block", this.#pick(["0", "300"])];
    if (this.#random.integer(0, 2) === 0) return ["xread", ...wait, "streams", one, this.#pick(["$", "0", "9"])];
    const options = this.#pick([[], ["count", "1"], ["noack"]]);
    const keys = this.#random.integer(0, 2) === 0 ? [one, other, ">", ">"] : [one, this.#pick([">", ">", ">", "0"])];
    return ["xreadgroup", "group", "g", this.#pick(["a", "b"]), ...options, ...wait, "streams", ...keys];
  }

  #feedingStreams(): readonly string[] {
    const [key, other] = [this.#pick(STREAMS), this.#pick(STREAMS)];
    const group = ["xgroup", "create", key, "g", this.#pick(["0", "$"]), "mkstream"];
    const changes = [
      ["del", key],
      ["rename", key, other],
      ["xgroup", "destroy", key, "g"],
      ["xgroup", "setid", key, "g", "0"],
      ["xack", key, "g", "1-1", "2-1"],
      ["xautoclaim", key, "g", "b", this.#pick(["0", "200"]), "0"],
      ["set", key, "text", "px", "200"],
    ];
    const entries = Array.from({ length: 8 }, () => ["xadd", key, "*", "f", "v"]);
    return this.#pick([...changes, group, group, group, group, ...entries]);
  }

  #feeding(): readonly string[] {
    if (this.#random.integer(0, 2) === 0) return this.#feedingStreams();
    const [key, other] = [this.#pick(KEYS), this.#pick(KEYS)];
    const item = String(this.#random.integer(0, 99));
    switch (this.#random.integer(0, 11)) {
      case 0:
      case 1:
      case 2:
        return ["rpush", key, item, ...(this.#random.integer(0, 1) === 0 ? [] : ["x", "y"])];
      case 3:
        return ["lpush", key, item];
      case 4:
      case 5:
      case 6:
        return ["zadd", key, item, "m", "5", `m${item}`];
      case 7:
        return ["del", key];
      case 8:
        return ["rename", key, other];
      case 9:
        return ["eval", "redis.pcall('rpush', KEYS[1], 'e') redis.pcall('zadd', KEYS[2], 1, 'e')", "2", key, other];
      case 10:
        return ["lmove", key, other, "left", "right"];
      default:
        return ["set", key, "text", "px", "200"];
    }
  }
}
