import type { Answer } from '../debate.ts';
import { shuffle } from '../prompt/shuffle.ts';
import { toLetter } from '../prompt/to-letter.ts';

/** A member of the council as the synthesis knows it; its points are `A1`, `A2` ... */
export type Member = { letter: string; answer: Answer };

/**
 * The members by letters in an order that only the seed decides: whoever writes the synthesis sees
 * neither names, which are often roles, nor who was asked first.
 */
export const anonymise = (answers: readonly Answer[], seed: number): Member[] => {
  const sorted = answers.toSorted((one, other) => (one.agentId < other.agentId ? -1 : 1));
  return shuffle(sorted, seed).map((answer, index) => ({ letter: toLetter(index), answer }));
};
