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
