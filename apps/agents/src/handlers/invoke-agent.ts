/**
 * The span of a turn, by OpenTelemetry's conventions for generative AI. Which agent it is, is noted
 * once it was found: what stands in a request may be anything.
 */
export const INVOKE_AGENT = {
  name: 'invoke_agent',
  role: 'internal',
  attributes: { 'gen_ai.operation.name': 'invoke_agent' },
} as const;
