import type { Random } from "../../../core/random.ts";
import { ArgumentGenerator, type Argument } from "./argument-generator.ts";
import { COMMAND_SHAPES } from "./command-shapes.ts";
import type { Shape } from "./shape.ts";

/** Draws random commands that are likely to be interesting: few keys, any type, edges of numbers, odd options. */
export class CommandGenerator {
  readonly #random: Random;
  readonly #arguments: ArgumentGenerator;
  readonly #shapes: readonly Shape[];

  /** @param nowMs the server's wall clock, for times near it */
  constructor(random: Random, nowMs: () => number, shapes: readonly Shape[] = COMMAND_SHAPES) {
    this.#random = random;
    this.#arguments = new ArgumentGenerator(random, nowMs);
    this.#shapes = shapes;
  }

  next(): string[] {
    const shape = this.#arguments.pick(this.#shapes);
    const argv = [shape.name, ...shape.arguments.flatMap((argument) => this.#draw(argument))];
    if (this.#arguments.chance(3)) argv[0] = (argv[0] ?? "").toUpperCase();
    if (shape.isExact === true) return argv;
    if (this.#arguments.chance(2) && argv.length > 1) argv.splice(this.#random.integer(1, argv.length - 1), 1);
    if (this.#arguments.chance(2)) argv.push(this.#arguments.draw("word"));
    return argv;
  }

  #draw(argument: Argument): string[] {
    if (typeof argument === "string") return [this.#arguments.draw(argument)];
    if ("length" in argument) return argument.flatMap((each) => this.#draw(each));
    if ("word" in argument) return [this.#arguments.chance(5) ? argument.word.toUpperCase() : argument.word];
    if ("oneOf" in argument) return this.#draw(this.#arguments.pick(argument.oneOf));
    const { from, to } = argument;
    const count = this.#random.integer(from, to);
    return Array.from({ length: count }, () => this.#draw(argument.many)).flat();
  }
}
