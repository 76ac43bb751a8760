/**
 * Span of a turn by the OpenTelemetry conventions for generative AI. The agent id is set only after
 * the agent is found, because text from the request has unbounded cardinality.
 */
export const INVOKE_AGENT = {
  name: 'invoke_agent',
  role: 'internal',
  attributes: { 'gen_ai.operation.name': 'invoke_agent' },
} as const;
