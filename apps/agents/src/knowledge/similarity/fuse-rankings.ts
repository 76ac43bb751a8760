/**
 * Usual constant of reciprocal rank fusion: the larger, the less the first ranks differ from later
 * ones.
 */
const RANK_OFFSET = 60;

/**
 * Returns the scores of ids by reciprocal rank fusion: each ranking, best id first, contributes
 * `1 / (60 + rank)`. Scores are from 0 to 1, which is the first rank in every ranking.
 */
export const fuseRankings = (
  rankings: readonly (readonly string[])[],
): ReadonlyMap<string, number> => {
  const scores = new Map<string, number>();
  const share = (RANK_OFFSET + 1) / rankings.length;
  for (const ranking of rankings) {
    for (const [index, id] of ranking.entries()) {
      scores.set(id, (scores.get(id) ?? 0) + share / (RANK_OFFSET + 1 + index));
    }
  }
  return scores;
};
