export type Ranking = ReadonlyMap<string, number>;

/** Constant of reciprocal rank fusion (Cormack, Clarke, Buettcher 2009). */
const RANK_OFFSET = 60;

/**
 * Fuses rankings whose scores are not comparable: each id gets the sum of its reciprocal ranks,
 * scaled to 0 to 1. If all sums are equal, all results are 0.
 */
export function fuseRanks(ids: readonly string[], rankings: readonly Ranking[]): Ranking {
  const fused = new Map(ids.map((id) => [id, 0]));
  for (const ranking of rankings) {
    for (const [id, rank] of ranksOf(ids, ranking))
      fused.set(id, (fused.get(id) ?? 0) + 1 / (RANK_OFFSET + rank));
  }
  const [min, max] = rangeOf(fused.values());
  const spread = max - min;
  for (const [id, sum] of fused) fused.set(id, spread > 0 ? (sum - min) / spread : 0);
  return fused;
}

/**
 * Returns the ranks of the ids in a ranking, from 1; ids with equal scores share the best of their
 * ranks.
 */
function ranksOf(ids: readonly string[], ranking: Ranking): [id: string, rank: number][] {
  const scored = ids.flatMap((id): [string, number][] => {
    const score = ranking.get(id);
    return score === undefined || Number.isNaN(score) ? [] : [[id, score]];
  });
  scored.sort(([, one], [, other]) => other - one);
  let rank = 0;
  return scored.map(([id, score], index) => {
    if (index === 0 || score !== scored[index - 1]?.[1]) rank = index + 1;
    return [id, rank];
  });
}

function rangeOf(values: Iterable<number>): [min: number, max: number] {
  let min = Infinity;
  let max = -Infinity;
  for (const value of values) {
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  return [min, max];
}
