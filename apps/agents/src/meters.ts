import { Counter, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { CalledTool } from './domain/tool/run-tool.ts';

/** What operators watch: how calls of tools end, and how long customers' endpoints take. */
export type Meters = { onCalled: (call: CalledTool) => void };

/** No label is a tool's or a workspace's: there may be any number of them. */
export const createMeters = (registry: Registry): Meters => {
  const calls = new Counter({
    name: 'agents_tool_calls_total',
    help: 'Calls that were sent to tools, by how they ended: ok, error or timeout.',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'agents_tool_call_seconds',
    help: 'Time from sending a call to a tool to the end of its answer, in seconds.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 20],
    registers: [registry],
  });
  return {
    onCalled: ({ status, durationMs }) => {
      calls.inc({ outcome: status });
      seconds.observe(durationMs / 1_000);
    },
  };
};
