import type { Target } from './models-query.ts';

const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });

/**
 * Returns the share of conversations that begin at a target, as a text. Undefined if no target has
 * a weight: then all begin at the first.
 */
export const shareOf = (
  { weight = 0 }: Pick<Target, 'weight'>,
  targets: readonly Pick<Target, 'weight'>[],
): string | undefined => {
  const sum = targets.reduce((total, one) => total + (one.weight ?? 0), 0);
  return sum === 0 ? undefined : percent.format(weight / sum);
};
