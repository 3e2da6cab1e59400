import type { Identifier, Statement, VarargLiteral } from "luaparse";
import { blockCode } from "./code-statements.ts";
import type { Site } from "../runtime.ts";
import { Scope } from "./scope.ts";

export interface FunctionParts {
  readonly parameters: readonly (Identifier | VarargLiteral)[];
  readonly body: readonly Statement[];
  /** Declared with a colon: `self` comes first. */
  readonly isMethod?: boolean;
}

/** The shared state of the code generation for one script: its locals, and the places that errors name. */
export class Generator {
  readonly scope = new Scope();
  readonly sites: Site[] = [];
  readonly #temporaries: string[][] = [];

  /** Code for a place, given what is known about it. */
  site(site: Site): string {
    this.sites.push(site);
    return `sites[${this.sites.length - 1}]`;
  }

  /** A variable of the current function, for a value that is needed twice. */
  temporary(): string {
    const temporary = this.scope.temporary();
    this.#temporaries.at(-1)?.push(temporary);
    return temporary;
  }

  /** Code for a function: one that takes an array and returns one. */
  functionCode({ parameters, body, isMethod = false }: FunctionParts): string {
    this.scope.enterFunction();
    this.#temporaries.push([]);
    const names = [
      ...(isMethod ? ["self"] : []),
      ...parameters.flatMap((each) => (each.type === "Identifier" ? [each.name] : [])),
    ];
    const locals = names.map((each) => this.scope.declare(each));
    const begin = [
      ...locals.map((local, index) => `let ${local} = args[${index}];`),
      ...(parameters.some(({ type }) => type === "VarargLiteral")
        ? [`const varargs = args.slice(${names.length});`]
        : []),
    ].join(" ");
    const code = blockCode(body, this);
    const temporaries = this.#temporaries.pop() ?? [];
    this.scope.leaveFunction();
    const declared = temporaries.length === 0 ? "" : `let ${temporaries.join(", ")};`;
    return `((args) => { ${begin} ${declared}\n${code}\nreturn nothing; })`;
  }
}
