import type { Sentence } from './gather-sentences.ts';
import { splitTerms } from './split-terms.ts';

export type RankedSentence = {
  readonly sentence: Sentence;
  readonly score: number;
  readonly index: number;
};

const FULL_SCORE_TERMS = 25;

// Makes a tool result for this question relevant even if it has no word of the question.
const FRESH_TOOL_BONUS = 0.3;
const SAME_MESSAGE_BONUS = 0.2;

/**
 * Returns the sentences by relevance to `question`, best first, equal ones in their own order.
 *
 * relevance = (Σ weight of the question's terms that the sentence has
 *             ÷ Σ weight of the question's terms that any sentence has)
 *            × 25 ÷ max(25, terms of the sentence)
 *            + 0.3 for a fresh tool result, + 0.2 beside the question in its own message
 * weight(term) = ln(1 + sentences ÷ sentences with the term)
 *
 * A rare word counts more than a common one, and a very long sentence less.
 */
export function rankSentences(question: string, sentences: readonly Sentence[]): RankedSentence[] {
  const questionTerms = new Set(splitTerms(question));
  const termsOf = sentences.map(({ text }) => splitTerms(text));
  const weights = weighTerms(questionTerms, termsOf);
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  return sentences
    .map((sentence, index) => {
      const terms = termsOf[index] ?? [];
      const shared = [...new Set(terms)].reduce((sum, term) => sum + (weights.get(term) ?? 0), 0);
      const brevity = FULL_SCORE_TERMS / Math.max(FULL_SCORE_TERMS, terms.length);
      const overlap = total === 0 ? 0 : (shared / total) * brevity;
      return { sentence, index, score: overlap + bonusOf(sentence) };
    })
    .toSorted((one, other) => other.score - one.score || one.index - other.index);
}

function weighTerms(
  questionTerms: ReadonlySet<string>,
  termsOf: readonly (readonly string[])[],
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const terms of termsOf) {
    for (const term of new Set(terms)) {
      if (questionTerms.has(term)) counts.set(term, (counts.get(term) ?? 0) + 1);
    }
  }
  return new Map(
    [...counts].map(([term, count]) => [term, Math.log(1 + termsOf.length / count)] as const),
  );
}

function bonusOf({ speaker, isFresh }: Sentence): number {
  if (isFresh) return FRESH_TOOL_BONUS;
  return speaker === 'rest' ? SAME_MESSAGE_BONUS : 0;
}
