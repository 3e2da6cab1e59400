import type { Argument } from "./argument-generator.ts";

/** A command with what its arguments can be. */
export interface Shape {
  readonly name: string;
  readonly arguments: readonly Argument[];
  /**
   * How replies compare. `exact`: byte for byte, as usual. `unordered`: the real server's order comes from a random
   * seed. `shape`: its content is random, or specific to that process.
   */
  readonly compare?: "unordered" | "shape";
  /** Never drawn with one argument less or more: the result could then depend on the real server's random seed. */
  readonly isExact?: true;
}

export function word(text: string): Argument {
  return { word: text };
}

export function maybe(...argument: readonly Argument[]): Argument {
  return { many: argument, from: 0, to: 1 };
}

export function some(argument: Argument, from = 1, to = 3): Argument {
  return { many: argument, from, to };
}

export function oneOf(...choices: readonly Argument[]): Argument {
  return { oneOf: choices };
}

export function shape(name: string, ...args: readonly Argument[]): Shape {
  return { name, arguments: args };
}
