import type { Call } from './calls-query.ts';

type Address = Call['address'];

/** Returns the address of a call as clients write it, without the requested model's name. */
export const describeAddress = ({ kind, agent, knowledge, sensitive }: Address): string =>
  [
    kind === 'agent' ? `agent:${agent ?? ''}` : kind,
    ...(knowledge ? ['knowledge'] : []),
    ...(sensitive ? ['sensitive'] : []),
  ].join('+');

const MICROS = 1_000_000;

/** Returns a cost in US dollars with enough digits for one call; "no price" is not 0. */
export const formatCost = (cost: Call['cost']): string => {
  if (cost === null) return 'no price';
  const dollars = cost.micros / MICROS;
  const digits = dollars !== 0 && dollars < 0.01 ? 6 : 4;
  return `$${dollars.toFixed(digits)}`;
};

export const ROUTING: Readonly<Record<Call['routingReason'], string>> = {
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
  default_provider: 'No provider is known for the name, so the default provider was called.',
};
