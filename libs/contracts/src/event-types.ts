import { DebateSynthesizedSchema } from './gen/witan/events/v1/debate_pb.ts';
import {
  SimulationReportReadySchema,
  SimulationTickCompletedSchema,
} from './gen/witan/events/v1/simulation_pb.ts';

/** The facts that services publish: the message of each type's payload. */
export const EVENT_TYPES = {
  'debate.synthesized': DebateSynthesizedSchema,
  'simulation.tick.completed': SimulationTickCompletedSchema,
  'simulation.report.ready': SimulationReportReadySchema,
} as const;

export type EventType = keyof typeof EVENT_TYPES;

/** The event of the call that tries a webhook; no service publishes it. */
export const TEST_EVENT = 'webhook.test';

export type EventName = EventType | typeof TEST_EVENT;

/** What a webhook may be subscribed to (docs/spec.md#6): every fact, and the test. */
export const EVENT_NAMES: readonly EventName[] = [
  ...(Object.keys(EVENT_TYPES) as EventType[]),
  TEST_EVENT,
];
