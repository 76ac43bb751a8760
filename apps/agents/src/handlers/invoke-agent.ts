/**
 * The span of a turn, by OpenTelemetry's conventions for generative AI. The agent's id is set once
 * it was found, because text of a request is unbounded.
 */
export const INVOKE_AGENT = {
  name: 'invoke_agent',
  role: 'internal',
  attributes: { 'gen_ai.operation.name': 'invoke_agent' },
} as const;
