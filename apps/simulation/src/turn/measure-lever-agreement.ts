import type { LeverBounds, Proposal } from '../engine/engine.ts';

/**
 * Returns the agreement on the levers, from 0 to 1: the mean over all pairs of proposals and over
 * the levers that at least one of them moves. Two values that differ by the lever's farther bound
 * from its present value do not agree at all. A lever that a proposal lacks keeps its value.
 */
export const measureLeverAgreement = (
  proposals: readonly Pick<Proposal, 'levers'>[],
  levers: readonly LeverBounds[],
): number => {
  const agreements = levers.flatMap(({ name, min, max, defaultValue }) => {
    const values = proposals.map(({ levers: proposed }) => proposed[name] ?? defaultValue);
    if (values.every((value) => value === defaultValue)) return [];
    const reach = Math.max(max - defaultValue, defaultValue - min);
    return values.flatMap((one, index) =>
      values.slice(index + 1).map((other) => 1 - Math.min(1, Math.abs(one - other) / reach)),
    );
  });
  if (agreements.length === 0) return 1;
  return agreements.reduce((sum, agreement) => sum + agreement, 0) / agreements.length;
};
