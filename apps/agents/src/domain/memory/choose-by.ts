import { estimateTokens } from '../prompt/estimate-tokens.ts';
import type { ChosenMemories } from '../prompt/fit-prompt.ts';
import { chooseMemories } from './choose-memories.ts';
import type { RecallTurn } from './choose-memories.ts';
import type { Memory } from './memory.ts';
import { renderMemories, renderMemory } from './render-memories.ts';

/** A choice that waits for its budget, and remembers what came of it. */
export type MemoryChoice = {
  choose: (budgetTokens: number) => ChosenMemories;
  /** What was chosen last. */
  chosen: () => Memory[];
};

/** The memories of a prompt, for as many tokens as turn out to be left for them. */
export const chooseBy = (
  memories: readonly Memory[],
  turn: Pick<RecallTurn, 'sessionId' | 'now' | 'rankings'>,
): MemoryChoice => {
  let shown: Memory[] = [];
  return {
    choose: (budgetTokens) => {
      const tokensOf = (memory: Memory): number => estimateTokens(`${renderMemory(memory)}\n`);
      const { chosen, omitted } = chooseMemories(memories, { ...turn, budgetTokens, tokensOf });
      shown = chosen;
      return { text: renderMemories(chosen), omitted: omitted.length };
    },
    chosen: () => shown,
  };
};
