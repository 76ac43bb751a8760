/**
 * Name and attributes of the span of a chat turn, by the OpenTelemetry conventions for generative
 * AI. The agent id is set only after the agent is found, because ids from requests have unbounded
 * cardinality.
 */
export const INVOKE_AGENT = {
  name: 'invoke_agent',
  role: 'internal',
  attributes: { 'gen_ai.operation.name': 'invoke_agent' },
} as const;
