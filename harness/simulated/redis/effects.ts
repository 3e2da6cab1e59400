import { encodeCommand } from "./protocol/resp-encoder.ts";

/** A change of the data as it is propagated to replicas and the append-only file: a command with absolute times. */
export interface Effect {
  /** The database that it applies to; -1 where that does not matter: for MULTI and EXEC. */
  readonly database: number;
  readonly argv: readonly string[];
  /**
   * Whether replicas get it, and whether the append-only file does. Scripts and PUBLISH can treat the two differently.
   */
  readonly toReplicas: boolean;
  readonly toFile: boolean;
}

/**
 * Takes the effects of one execution unit: a command, a transaction, a script. More than one effect comes wrapped in
 * MULTI and EXEC. It is called before any reply of the unit leaves the server.
 */
export type EffectSink = (effects: readonly Effect[]) => void;

/** Gathers effects until their execution unit ends. */
export class EffectRecorder {
  #pending: Effect[] = [];
  readonly #sink: EffectSink | undefined;
  readonly #selectsInside: boolean;

  /** @param selectsInside whether SELECT comes after MULTI, as since 7.2, or before it */
  constructor(sink: EffectSink | undefined, selectsInside: boolean) {
    this.#sink = sink;
    this.#selectsInside = selectsInside;
  }

  add(database: number, argv: readonly string[], toReplicas = true, toFile = true): void {
    if (this.#sink === undefined) return;
    this.#pending.push({ database, argv, toReplicas, toFile });
  }

  /** Ends the unit. `atomic` is false for commands that touch keys they do not name: those are never wrapped. */
  flush(atomic: boolean): void {
    if (this.#pending.length === 0) return;
    const effects = this.#pending;
    this.#pending = [];
    this.#sink?.(atomic && effects.length > 1 ? this.#wrap(effects) : effects);
  }

  #wrap(effects: readonly Effect[]): readonly Effect[] {
    const mark = (argv: readonly string[], beside: Effect | undefined): Effect => {
      const database = this.#selectsInside ? -1 : (beside?.database ?? -1);
      return { database, argv, toReplicas: true, toFile: true };
    };
    return [mark(["MULTI"], effects[0]), ...effects, mark(["EXEC"], effects.at(-1))];
  }
}

/**
 * Writes effects as a stream of commands, as a replication link or an append-only file carries them: a SELECT precedes
 * a command when its database differs from the last one's.
 */
export class EffectStream {
  #selected = -1;

  /** Starts over: the next command gets its SELECT, as after a full resynchronization. */
  reset(): void {
    this.#selected = -1;
  }

  /** The bytes, as a binary string, that these effects add to the stream. */
  encode(effects: readonly Effect[], target: "replicas" | "file"): string {
    let text = "";
    for (const effect of effects) {
      if (target === "replicas" ? !effect.toReplicas : !effect.toFile) continue;
      if (effect.database !== -1 && effect.database !== this.#selected) {
        text += encodeCommand(["SELECT", String(effect.database)]);
        this.#selected = effect.database;
      }
      text += encodeCommand(effect.argv);
    }
    return text;
  }
}
