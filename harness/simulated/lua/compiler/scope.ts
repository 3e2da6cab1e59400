/** The visible local variables during code generation, each with its own JavaScript name. */
export class Scope {
  readonly #blocks: Map<string, { readonly script: string; readonly depth: number }>[] = [new Map()];
  #functions = 0;
  #count = 0;

  enter(): void {
    this.#blocks.push(new Map());
  }

  leave(): void {
    this.#blocks.pop();
  }

  enterFunction(): void {
    this.#functions += 1;
    this.enter();
  }

  leaveFunction(): void {
    this.leave();
    this.#functions -= 1;
  }

  /** Declares a local and returns its JavaScript name. */
  declare(name: string): string {
    const script = `v${(this.#count += 1)}`;
    this.#blocks.at(-1)?.set(name, { script, depth: this.#functions });
    return script;
  }

  /** A JavaScript name that no local has. */
  temporary(): string {
    return `t${(this.#count += 1)}`;
  }

  /** The JavaScript name of a local; undefined for a global. */
  find(name: string): string | undefined {
    return this.#find(name)?.script;
  }

  kindOf(name: string): "local" | "upvalue" | "global" {
    const found = this.#find(name);
    if (found === undefined) return "global";
    return found.depth === this.#functions ? "local" : "upvalue";
  }

  #find(name: string): { readonly script: string; readonly depth: number } | undefined {
    for (let index = this.#blocks.length - 1; index >= 0; index -= 1) {
      const found = this.#blocks[index]?.get(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}
