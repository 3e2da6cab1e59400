import { traitsOf } from "../../../faults/traits.ts";
import { type FaultStep, type Plan, planSchema } from "../../core/plan.ts";
import { isMessageTrigger, PROXY_MOMENTS, type MessageTrigger, type Trigger } from "../../core/trigger.ts";
import { clientName } from "../../core/topology.ts";
import { STOP_OF_CLIENT } from "./separated.ts";

/** Whether a proxy between clients and real servers sees everything that this plan waits for. */
export function isObservable({ faults }: Plan): boolean {
  return faults.every(isStepObservable);
}

/**
 * Plans that wait for something else at about the same time, which a proxy before real servers sees too: a command that
 * comes to a server, or the reply that comes to its client, in place of its sending or of its execution.
 */
export function observablePlans(plan: Plan): readonly Plan[] {
  return VARIANTS.map((variant) => ({
    ...plan,
    faults: plan.faults.map((step) => (isStepObservable(step) ? step : variant(step))),
  }))
    .filter(isObservable)
    .map((candidate) => planSchema.parse(candidate));
}

/** Which of the replies to a client are tried, counted from its first: the first few open its connection. */
const REPLIES = 12;

/** When a fault begins and ends; many have no trigger for the end. */
const EDGES = ["at", "until"] as const;

type Variant = (step: FaultStep) => FaultStep;

const VARIANTS: readonly Variant[] = [
  // About to send is: has the reply to what it sent before.
  retimed((trigger) => ({ ...trigger, moment: "reply", count: Math.max(1, (trigger.count ?? 1) - 1) })),
  retimed((trigger) => ({ ...trigger, moment: "reply" })),
  retimed((trigger) => ({ ...trigger, moment: "before" })),
  atItsClient(retimed((trigger) => ({ ...trigger, moment: "reply" }))),
  // About to send one command is: has the reply to another one.
  ...Array.from({ length: REPLIES }, (_, index) =>
    retimed(({ afterMs, client }) => replyTo(index + 1, client, afterMs)),
  ),
];

function replyTo(count: number, client: number | undefined, afterMs: number | undefined): MessageTrigger {
  return { moment: "reply", count, client, afterMs };
}

/** The step with each of its triggers that no proxy sees replaced. */
function retimed(change: (trigger: MessageTrigger) => MessageTrigger): Variant {
  const seen = (trigger: Trigger): Trigger =>
    isMessageTrigger(trigger) && !PROXY_MOMENTS.includes(trigger.moment) ? change(trigger) : trigger;
  return (step) => {
    const triggers = EDGES.flatMap((edge) => (step[edge] === undefined ? [] : [[edge, seen(step[edge])] as const]));
    return { ...step, ...Object.fromEntries(triggers) };
  };
}

/** A server that stops before it replies delays its client: so does a stop of the client before it reads the reply. */
function atItsClient(variant: Variant): Variant {
  return (step) => {
    const { at } = step;
    if (traitsOf(step.kind).pauses !== "node" || !isMessageTrigger(at) || at.client === undefined) return step;
    return variant({ ...step, kind: STOP_OF_CLIENT, params: { targets: [clientName(at.client)] } });
  };
}

function isStepObservable({ at, until }: FaultStep): boolean {
  return [at, until].every(
    (trigger) => trigger === undefined || !isMessageTrigger(trigger) || PROXY_MOMENTS.includes(trigger.moment),
  );
}
