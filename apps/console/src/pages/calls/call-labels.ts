import type { Call } from './calls-query.ts';

type Address = Call['address'];

/** Returns the address of a call as clients write it, without the requested model's name. */
export const describeAddress = ({ kind, agent, knowledge, sensitive }: Address): string =>
  [
    kind === 'agent' ? `agent:${agent ?? ''}` : kind,
    ...(knowledge ? ['knowledge'] : []),
    ...(sensitive ? ['sensitive'] : []),
  ].join('+');
