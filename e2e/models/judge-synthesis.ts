export type Stance = { issueId: string; stance: number };
export type Verdict = { proposition: string; verdict: string; issueId: string };

/**
 * Returns what a synthesis and its verdicts do not have as the stances of the last round have it: a
 * proposition that is not named, and a verdict that is not that of more than half of the stances.
 */
export const findWrongVerdicts = (
  synthesis: string,
  verdicts: readonly Verdict[],
  stances: readonly Stance[],
): string[] =>
  verdicts.flatMap(({ proposition, issueId, verdict }) => {
    const counted = count(stances.filter((one) => one.issueId === issueId));
    const words = proposition.replace(/[.?!]+$/, '');
    return [
      ...(synthesis.includes(words) ? [] : [`the synthesis does not name “${proposition}”`]),
      ...(counted === verdict ? [] : [`${issueId} is ${counted} by the votes, not ${verdict}`]),
    ];
  });

const count = (stances: readonly Stance[]): string => {
  const isMajority = (side: number): boolean =>
    stances.filter(({ stance }) => Math.sign(stance) === side).length > stances.length / 2;
  if (stances.length === 0) return 'none';
  if (isMajority(1)) return 'support';
  return isMajority(-1) ? 'oppose' : 'split';
};
