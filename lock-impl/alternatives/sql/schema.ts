import type { SqlSession } from "./session.ts";

/** Two sessions that create the same table at the same time fail, so the creating session takes this lock. */
const CREATING = 5_061_773;

/**
 * Creates the lock's tables and sequences where they do not exist yet.
 * @param definitions statements that can be run again
 * @throws when the server refuses, or does not answer
 */
export async function createSchema(session: SqlSession, definitions: readonly string[]): Promise<void> {
  // Several statements in one message are one transaction, so the lock lasts until everything is created.
  const outcome = await session.run(
    [`SELECT pg_advisory_xact_lock(${CREATING})`, ...definitions].join(";\n"),
    undefined,
    SCHEMA_WITHIN_MS,
  );
  if (outcome.type !== "ok") throw new Error(`the tables of the lock could not be created: ${outcome.reason}`);
}

const SCHEMA_WITHIN_MS = 5_000;
