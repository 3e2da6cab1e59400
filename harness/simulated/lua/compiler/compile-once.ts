import { compile, type Chunk } from "./compile.ts";

/** The number of chunks that are kept. */
const MOST = 500;

/** Compiled chunks by their name and source. They have no state, so all servers share them. */
const chunks = new Map<string, Chunk>();

/**
 * Compiles a script, or returns the compiled one: a process simulates thousands of servers that all run the same few
 * scripts.
 * @throws LuaError as `compile` does
 */
export function compileOnce(source: string, name: string): Chunk {
  const key = `${name}\0${source}`;
  const known = chunks.get(key);
  if (known !== undefined) return known;
  const chunk = compile(source, name);
  if (chunks.size >= MOST) chunks.clear();
  chunks.set(key, chunk);
  return chunk;
}
