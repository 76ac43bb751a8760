import type { Certificate } from './certificate-query.ts';

type RoutingReason = Certificate['payload']['routing']['reason'];

/** Why a target was chosen, as sentences. */
export const ROUTING: Readonly<Record<RoutingReason, string>> = {
  passthrough: 'The requested model is one that a provider offers.',
  alias: 'The requested name is an alias of the workspace.',
  simple: 'A simple request, so a cheap model was chosen.',
  complex: 'A complex request, so a full-quality model was chosen.',
  harness: 'An agent harness was detected: a tool loop or a large system prompt.',
  sensitive_local: 'Sensitive data was found, so a local model was chosen.',
  sensitive_masked_no_local: 'Sensitive data was masked, because no local model is configured.',
  forced: 'The address forces this choice.',
  pinned: 'The conversation stays with the model that it began with.',
  fallback: 'The targets before it failed.',
  default_provider:
    'No provider offers a model of that name, so the call was routed like service-auto.',
};
