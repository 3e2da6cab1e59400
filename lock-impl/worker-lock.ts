import type { TopologyKind } from "../harness/core/topologies/registry.ts";
import type { Supports } from "../harness/core/sharing.ts";
import type { Claim, Limit, StatedClaim } from "./claims.ts";

/** How to start a program. No shell reads it. */
export interface WorkerCommand {
  /** A name that is looked up in PATH, or an absolute path. */
  readonly program: string;
  readonly arguments: readonly string[];
  /** Variables in addition to those of this process. */
  readonly environment: Readonly<Record<string, string>>;
  /** The working directory, an absolute path. */
  readonly directory: string;
}

/** A lock in any language: a program that speaks the protocol of docs/protocol.md, a process for each client. */
export interface WorkerLock {
  /** The value of `--lock`: a name, or the path of a worker file. */
  readonly name: string;
  readonly command: WorkerCommand;
  readonly topologies: readonly TopologyKind[];
  /** What it supports beyond one holder at a time. Absent: what the worker says when it is asked. */
  readonly supports?: Supports | undefined;
  /** `false`: a holder keeps the lock until it releases it. Absent: what it grants ends by itself. */
  readonly leases?: false | undefined;
  /** What it promises, and under which faults. Absent: what any sound lock can promise. */
  readonly claims?: readonly (Claim | StatedClaim)[] | undefined;
  /** Where it is known to break. */
  readonly limits: readonly Limit[];
}
