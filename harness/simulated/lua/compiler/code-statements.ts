import type { Expression, ForGenericStatement, ForNumericStatement, IfStatement, Statement } from "luaparse";
import { allValues, callCode, condition, line, name, oneValue, partsOf } from "./code-expressions.ts";
import type { Generator } from "./code-generator.ts";

/** Code for a block with a scope of its own. */
export function blockCode(body: readonly Statement[], generator: Generator): string {
  generator.scope.enter();
  const code = statementsCode(body, generator);
  generator.scope.leave();
  return code;
}

/** Code for statements in the current scope. */
function statementsCode(body: readonly Statement[], generator: Generator): string {
  return body.map((statement) => statementCode(statement, generator)).join("\n");
}

function statementCode(node: Statement, generator: Generator): string {
  switch (node.type) {
    case "LocalStatement":
      return localCode(
        node.variables.map((variable) => variable.name),
        node.init,
        generator,
      );
    case "AssignmentStatement":
      return assignmentCode(node.variables, node.init, generator);
    case "CallStatement":
      return `${callCode(node.expression, generator)};`;
    case "FunctionDeclaration":
      return functionStatementCode(node, generator);
    case "ReturnStatement":
      return `return ${allValues(node.arguments, generator)};`;
    case "IfStatement":
      return ifCode(node, generator);
    case "WhileStatement":
      return `for (;;) { runtime.tick(); if (!${condition(node.condition, generator)}) break;\n${blockCode(node.body, generator)} }`;
    case "RepeatStatement":
      return repeatCode(node.body, node.condition, generator);
    case "ForNumericStatement":
      return forNumericCode(node, generator);
    case "ForGenericStatement":
      return forGenericCode(node, generator);
    case "DoStatement":
      return `{ ${blockCode(node.body, generator)} }`;
    case "BreakStatement":
      return "break;";
    default:
      throw new Error(`no code for ${node.type}`);
  }
}

function localCode(names: readonly string[], init: readonly Expression[], generator: Generator): string {
  // The new locals become visible only after their values were computed.
  if (names.length === 1 && init.length <= 1) {
    const [only] = init;
    const value = only === undefined ? "undefined" : oneValue(only, generator);
    return `let ${generator.scope.declare(names[0] ?? "")} = ${value};`;
  }
  const values = allValues(init, generator);
  return `let [${names.map((each) => generator.scope.declare(each)).join(", ")}] = ${values};`;
}

function assignmentCode(targets: readonly Expression[], init: readonly Expression[], generator: Generator): string {
  const [target] = targets;
  const [value] = init;
  if (targets.length === 1 && init.length === 1 && target !== undefined && value !== undefined) {
    return `${storeCode(target, oneValue(value, generator), generator)};`;
  }
  // Tables and keys are evaluated before anything is assigned, and the assignments go from right to left.
  const prepared = targets.map((each) => prepareTarget(each, generator));
  const values = generator.scope.temporary();
  const stores = prepared.map(({ store }, index) => `${store(`${values}[${index}]`)};`).toReversed();
  return `{ ${prepared.map(({ before }) => before).join(" ")} const ${values} = ${allValues(init, generator)}; ${stores.join(" ")} }`;
}

function prepareTarget(
  node: Expression,
  generator: Generator,
): { readonly before: string; readonly store: (value: string) => string } {
  if (node.type === "Identifier") return { before: "", store: (value) => storeCode(node, value, generator) };
  const { base, key, site } = indexTarget(node, generator);
  const table = generator.scope.temporary();
  const at = generator.scope.temporary();
  return {
    before: `const ${table} = ${base}; const ${at} = ${key};`,
    store: (value) => `runtime.setIndex(${table}, ${at}, ${value}, ${site})`,
  };
}

function storeCode(node: Expression, value: string, generator: Generator): string {
  if (node.type === "Identifier") {
    const local = generator.scope.find(node.name);
    if (local !== undefined) return `${local} = ${value}`;
    return `runtime.setIndex(runtime.globals, ${JSON.stringify(node.name)}, ${value}, ${generator.site({ line: line(node) })})`;
  }
  const { base, key, site } = indexTarget(node, generator);
  return `runtime.setIndex(${base}, ${key}, ${value}, ${site})`;
}

function indexTarget(node: Expression, generator: Generator): { base: string; key: string; site: string } {
  if (node.type !== "MemberExpression" && node.type !== "IndexExpression") throw new Error(`${node.type} is no target`);
  return {
    base: oneValue(node.base, generator),
    key: node.type === "MemberExpression" ? JSON.stringify(node.identifier.name) : oneValue(node.index, generator),
    site: generator.site({ line: line(node), ...name("left", node.base, generator) }),
  };
}

function functionStatementCode(
  node: Extract<Statement, { type: "FunctionDeclaration" }>,
  generator: Generator,
): string {
  const parts = partsOf(node);
  const { identifier } = node;
  if (identifier === null) throw new Error("a function statement has a name");
  if (node.isLocal && identifier.type === "Identifier") {
    const local = generator.scope.declare(identifier.name);
    return `let ${local}; ${local} = ${generator.functionCode(parts)};`;
  }
  const isMethod = identifier.type === "MemberExpression" && identifier.indexer === ":";
  return `${storeCode(identifier, generator.functionCode({ ...parts, isMethod }), generator)};`;
}

function ifCode(node: IfStatement, generator: Generator): string {
  return node.clauses
    .map((clause) =>
      clause.type === "ElseClause"
        ? `{ ${blockCode(clause.body, generator)} }`
        : `if (${condition(clause.condition, generator)}) { ${blockCode(clause.body, generator)} }`,
    )
    .join(" else ");
}

function repeatCode(body: readonly Statement[], until: Expression, generator: Generator): string {
  // The condition can use the locals of the body.
  generator.scope.enter();
  const code = statementsCode(body, generator);
  const end = condition(until, generator);
  generator.scope.leave();
  // A return at the end of the body would make the condition unreachable, which JavaScript allows.
  return `for (;;) { runtime.tick();\n${code}\nif (${end}) break; }`;
}

function forNumericCode(node: ForNumericStatement, generator: Generator): string {
  const site = generator.site({ line: line(node.start) });
  const number = (value: Expression | null, what: string): string =>
    value === null ? "1" : `runtime.forNumber(${oneValue(value, generator)}, "${what}", ${site})`;
  const [first, limit, step, current] = Array.from({ length: 4 }, () => generator.scope.temporary());
  const begin = `const ${first} = ${number(node.start, "initial")}, ${limit} = ${number(node.end, "limit")}, ${step} = ${number(node.step, "step")};`;
  generator.scope.enter();
  const variable = generator.scope.declare(node.variable.name);
  const body = blockCode(node.body, generator);
  generator.scope.leave();
  return `{ ${begin} for (let ${current} = ${first}; ${step} > 0 ? ${current} <= ${limit} : ${current} >= ${limit}; ${current} += ${step}) { runtime.tick(); let ${variable} = ${current};\n${body} } }`;
}

function forGenericCode(node: ForGenericStatement, generator: Generator): string {
  const [next, state, control, results] = Array.from({ length: 4 }, () => generator.scope.temporary());
  const values = allValues(node.iterators, generator);
  const site = generator.site({ line: node.loc?.start.line ?? 0 });
  generator.scope.enter();
  const variables = node.variables.map((variable) => generator.scope.declare(variable.name));
  const body = blockCode(node.body, generator);
  generator.scope.leave();
  return `{ let [${next}, ${state}, ${control}] = ${values}; for (;;) { const ${results} = runtime.call(${next}, [${state}, ${control}], ${site}); let [${variables.join(", ")}] = ${results}; if (${variables[0]} === undefined) break; ${control} = ${variables[0]};\n${body} } }`;
}
