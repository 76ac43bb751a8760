import { estimateTokens } from '../prompt/estimate-tokens.ts';
import type { ChosenMemories } from '../prompt/fit-prompt.ts';
import { chooseMemories } from './choose-memories.ts';
import type { RecallTurn } from './choose-memories.ts';
import type { Memory } from './memory.ts';
import { rankMemories } from './rank-memories.ts';
import { renderMemories, renderMemory } from './render-memories.ts';

/** A choice that waits for its budget, and remembers what came of it. */
export type MemoryChoice = {
  choose: (budgetTokens: number) => ChosenMemories;
  /** What was chosen last. */
  chosen: () => Memory[];
};

/**
 * The memories of a prompt, for as many tokens as turn out to be left for them: `text` is what they
 * are ranked by when not all fit. A prompt that is fitted again asks for the same.
 */
export const chooseBy = (
  memories: readonly Memory[],
  { text, ...turn }: Pick<RecallTurn, 'sessionId' | 'now'> & { text: string },
): MemoryChoice => {
  const rank = once(() => [rankMemories(memories, text)]);
  let last = { budgetTokens: NaN, chosen: [] as Memory[], text: '', omitted: 0 };
  return {
    choose: (budgetTokens) => {
      if (budgetTokens === last.budgetTokens) return last;
      const wanted = { ...turn, budgetTokens, tokensOf, leastTokensOf, rank };
      const { chosen, omitted } = chooseMemories(memories, wanted);
      last = { budgetTokens, chosen, text: renderMemories(chosen), omitted: omitted.length };
      return last;
    },
    chosen: () => last.chosen,
  };
};

const once = <T>(make: () => T): (() => T) => {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
};

/** Joined for the same reason as the memory itself. */
const tokensOf = (memory: Memory): number => estimateTokens([renderMemory(memory), ''].join('\n'));

/** A token is estimated to be of so many UTF-16 units at most. */
const TOKEN_LENGTH_MAX = 4;

/** A rendered memory holds its value, which white space at the ends is taken from. */
const leastTokensOf = ({ value }: Memory): number => value.trim().length / TOKEN_LENGTH_MAX;
