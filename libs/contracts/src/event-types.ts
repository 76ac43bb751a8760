import { DebateSynthesizedSchema } from './gen/witan/events/v1/debate_pb.ts';
import { McpServerChangedSchema, McpToolCalledSchema } from './gen/witan/events/v1/mcp_pb.ts';
import {
  SimulationReportReadySchema,
  SimulationTickCompletedSchema,
} from './gen/witan/events/v1/simulation_pb.ts';

export const EVENT_TYPES = {
  'debate.synthesized': DebateSynthesizedSchema,
  'simulation.tick.completed': SimulationTickCompletedSchema,
  'simulation.report.ready': SimulationReportReadySchema,
  'mcp.server.changed': McpServerChangedSchema,
  'mcp.tool.called': McpToolCalledSchema,
} as const;

export type EventType = keyof typeof EVENT_TYPES;

/** Type of the event that a call to test a webhook sends; no service publishes it. */
export const TEST_EVENT = 'webhook.test';

export type EventName = EventType | typeof TEST_EVENT;

/** Event types that a webhook can subscribe to (docs/spec.md#6). */
export const EVENT_NAMES: readonly EventName[] = [
  ...(Object.keys(EVENT_TYPES) as EventType[]),
  TEST_EVENT,
];
