import type { SqlSession } from "./session.ts";

/** Two that create the same table at the same time fail; this lock is for whoever is creating. */
const CREATING = 5_061_773;

/**
 * Creates what a lock keeps, where it is not there yet.
 * @param definitions statements that can be run again
 * @throws when the server refuses, or does not answer
 */
export async function createSchema(session: SqlSession, definitions: readonly string[]): Promise<void> {
  // Several statements in one message are one transaction, so that the lock lasts until all is there.
  const outcome = await session.run(
    [`SELECT pg_advisory_xact_lock(${CREATING})`, ...definitions].join(";\n"),
    undefined,
    SCHEMA_WITHIN_MS,
  );
  if (outcome.type !== "ok") throw new Error(`the tables of the lock could not be created: ${outcome.reason}`);
}

const SCHEMA_WITHIN_MS = 5_000;
