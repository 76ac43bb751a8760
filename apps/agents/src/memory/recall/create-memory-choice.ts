import { estimateTokens } from '../../prompt/estimate-tokens.ts';
import type { ChosenMemories } from '../../prompt/fit-prompt.ts';
import { chooseMemories } from './choose-memories.ts';
import type { RecallTurn } from './choose-memories.ts';
import type { Memory } from '../memory.ts';
import { rankMemories } from './rank-memories.ts';
import { renderMemories, renderMemory } from './render-memories.ts';

export type MemoryChoice = {
  choose: (budgetTokens: number) => ChosenMemories;
  chosen: () => Memory[];
};

/**
 * Creates a `MemoryChoice`. `choose` returns its previous result if the budget is the same. If not
 * all memories fit, they are ranked by the words that they share with `text`.
 */
export const createMemoryChoice = (
  memories: readonly Memory[],
  { text, ...turn }: Pick<RecallTurn, 'sessionId' | 'now'> & { text: string },
): MemoryChoice => {
  const rank = memoize(() => [rankMemories(memories, text)]);
  let last = { budgetTokens: NaN, chosen: [] as Memory[], text: '', omitted: 0 };
  return {
    choose: (budgetTokens) => {
      if (budgetTokens === last.budgetTokens) return last;
      const wanted = { ...turn, budgetTokens, tokensOf, minTokensOf, rank };
      const { chosen, omitted } = chooseMemories(memories, wanted);
      last = { budgetTokens, chosen, text: renderMemories(chosen), omitted: omitted.length };
      return last;
    },
    chosen: () => last.chosen,
  };
};

const memoize = <T>(compute: () => T): (() => T) => {
  let computed: { value: T } | undefined;
  return () => (computed ??= { value: compute() }).value;
};

const tokensOf = (memory: Memory): number => estimateTokens([renderMemory(memory), ''].join('\n'));

const TOKEN_LENGTH_MAX = 4;

/**
 * Returns a lower bound of a memory's tokens without rendering it: the rendered text contains the
 * trimmed value.
 */
const minTokensOf = ({ value }: Memory): number => value.trim().length / TOKEN_LENGTH_MAX;
