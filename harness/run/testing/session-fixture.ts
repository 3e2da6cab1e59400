import type { HistoryEvent } from "../../history/history.ts";
import type { PlanInput } from "../../core/plan.ts";
import { type ClientOptions, ClientTasks } from "../client-tasks.ts";
import { EventPublisher } from "../event-publisher.ts";
import { Recorder } from "../recorder.ts";
import { TriggerBoard } from "../trigger-board.ts";
import { FakeSystem } from "./fake-system.ts";
import { plan, section } from "./plans.ts";

export type SectionInput = PlanInput["clients"][number]["sections"][number];

/** One client of two, alone with a system of its own. */
export class SessionFixture {
  readonly system = new FakeSystem();
  readonly stop = new AbortController();
  readonly recorder = new Recorder({ clients: 2 }, () => this.system.clock.now());
  readonly board = new TriggerBoard(this.system.clock, this.stop.signal);
  readonly session: ClientTasks;

  constructor({ leases }: Pick<ClientOptions, "leases"> = {}) {
    this.session = new ClientTasks({
      index: 0,
      clients: 2,
      client: this.system.client(0),
      publisher: new EventPublisher(this.recorder, this.board, 2),
      board: this.board,
      clock: this.system.clock,
      signal: this.stop.signal,
      leases,
    });
  }

  /** Runs these sections to their end. */
  run(...sections: readonly Partial<SectionInput>[]): Promise<void> {
    const client = { sections: sections.flatMap((one) => section(one).sections) };
    const [parsed] = plan({ clients: [client] }).clients;
    return this.session.run(parsed ?? { sections: [] });
  }

  settle(...sections: readonly Partial<SectionInput>[]): Promise<void> {
    return this.system.clock.settle(this.run(...sections));
  }

  get events(): readonly HistoryEvent[] {
    return this.recorder.history.events;
  }

  /** A summary of the events: process, operation, type, and the time in milliseconds. */
  get story(): readonly string[] {
    return this.events.map(({ process, f, type, time }) => `${process} ${f}:${type} ${time / 1e6}`);
  }

  /** The same of the operations, with the key before the time. */
  get storyWithKeys(): readonly string[] {
    return this.events.flatMap((event) => {
      if (!("key" in event)) return [];
      const { process, f, type, key, time } = event;
      return [`${process} ${f}:${type} ${key} ${time / 1e6}`];
    });
  }

  values(f: string, type: string): readonly unknown[] {
    return this.events.filter((event) => event.f === f && event.type === type).map(({ value }) => value);
  }
}
