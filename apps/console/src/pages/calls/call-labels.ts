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
