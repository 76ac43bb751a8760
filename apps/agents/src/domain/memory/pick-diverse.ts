import { createLikenessIndex } from './create-likeness-index.ts';
import { compareKeys } from './memory.ts';
import type { Memory } from './memory.ts';

export type RecallCandidate = {
  memory: Memory;
  tokens: number;
  isMandatory: boolean;
  /** 0 to 1. */
  score: number;
};

/** What a score counts against likeness to what was picked (C4 `MMR λ`). */
const SCORE_SHARE = 0.7;

/**
 * Picks by marginal relevance for each token until nothing more fits: mandatory ones first, then by
 * what a candidate adds to those already picked; ties go to the later change, then to the first
 * key. What does not fit is passed over.
 *
 * Picking only ever lowers what others add. So the worth that the queue is sorted by is an upper
 * bound, and only the best candidate has to be put back when it has become less.
 */
export function pickDiverse(
  candidates: readonly RecallCandidate[],
  budgetTokens: number,
): ReadonlySet<Memory> {
  const index = createLikenessIndex(candidates.map(({ memory }) => textOf(memory)));
  // To the likest pick, by the place of a candidate.
  const likeness = new Float64Array(candidates.length);
  const chosen = new Set<Memory>();
  let left = budgetTokens;
  // The best one is last.
  const queue = candidates
    .map((candidate, place) => ({ ...candidate, place, worth: worthOf(candidate, 0) }))
    .toSorted((one, other) => compareEntries(other, one));
  for (let best = queue.pop(); best !== undefined; best = queue.pop()) {
    if (best.tokens > left) continue;
    const worth = worthOf(best, likeness[best.place]!);
    if (worth < best.worth) {
      insert(queue, { ...best, worth });
      continue;
    }
    chosen.add(best.memory);
    left -= best.tokens;
    index.visitAlike(textOf(best.memory), (place, found) => {
      if (found > likeness[place]!) likeness[place] = found;
    });
  }
  return chosen;
}

type Entry = RecallCandidate & { place: number; worth: number };

const textOf = ({ key, value }: Memory): string => `${key} ${value}`;

function worthOf({ score, tokens }: RecallCandidate, likeness: number): number {
  return (SCORE_SHARE * score - (1 - SCORE_SHARE) * likeness) / Math.max(1, tokens);
}

/** Better ones first. A total order, because keys and ids are. */
function compareEntries(one: Entry, other: Entry): number {
  if (one.isMandatory !== other.isMandatory) return one.isMandatory ? -1 : 1;
  if (one.worth !== other.worth) return other.worth - one.worth;
  const changed = other.memory.updatedAt.getTime() - one.memory.updatedAt.getTime();
  return changed === 0 ? compareKeys(one.memory, other.memory) : changed;
}

/** Into its place of a queue whose best one is last. */
function insert(queue: Entry[], entry: Entry): void {
  let low = 0;
  let high = queue.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareEntries(queue[middle]!, entry) > 0) low = middle + 1;
    else high = middle;
  }
  queue.splice(low, 0, entry);
}
