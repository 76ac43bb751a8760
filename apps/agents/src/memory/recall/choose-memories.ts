import { compareKeys } from '../memory.ts';
import type { Memory } from '../memory.ts';
import { pickDiverse } from './pick-diverse.ts';
import { toRelevances } from './rank-memories.ts';

export type RecallTurn = {
  budgetTokens: number;
  tokensOf: (memory: Memory) => number;
  minTokensOf: (memory: Memory) => number;
  sessionId: string;
  now: Date;
  /** Returns scores by id of a memory; it is called only if not all memories fit. */
  rank: () => ReadonlyMap<string, number>;
};

export type ChosenMemories = { chosen: Memory[]; omitted: Memory[] };

/**
 * Returns all memories if they fit the budget. Otherwise chooses mandatory ones first, then those
 * with the highest score per token, where similarity to a chosen memory lowers the score. Never
 * exceeds the budget. Both lists are sorted by key.
 */
export function chooseMemories(memories: readonly Memory[], turn: RecallTurn): ChosenMemories {
  const sorted = memories.toSorted(compareKeys);
  if (allFit(sorted, turn)) return { chosen: sorted, omitted: [] };

  const ids = sorted.map(({ id }) => id);
  const relevances = toRelevances(ids, turn.rank());
  const candidates = sorted.map((memory) => ({
    memory,
    minTokens: turn.minTokensOf(memory),
    tokensOf: turn.tokensOf,
    isMandatory: isMandatory(memory, turn.sessionId),
    score: scoreOf(memory, relevances.get(memory.id)!, turn.now),
  }));
  const chosen = pickDiverse(candidates, turn.budgetTokens);
  return {
    chosen: sorted.filter((memory) => chosen.has(memory)),
    omitted: sorted.filter((memory) => !chosen.has(memory)),
  };
}

function allFit(memories: readonly Memory[], turn: RecallTurn): boolean {
  const { budgetTokens, minTokensOf, tokensOf } = turn;
  const sum = (tokens: (memory: Memory) => number): number =>
    memories.reduce((total, memory) => total + tokens(memory), 0);
  return sum(minTokensOf) <= budgetTokens && sum(tokensOf) <= budgetTokens;
}

const MANDATORY_IMPORTANCE_MIN = 0.9;

function isMandatory({ type, importance, ...memory }: Memory, sessionId: string): boolean {
  return (
    type === 'preference' ||
    importance >= MANDATORY_IMPORTANCE_MIN ||
    memory.sessionId === sessionId
  );
}

const RECENCY_WEIGHT = 0.5;
const IMPORTANCE_WEIGHT = 0.5;
const SCORE_MAX = 1 + RECENCY_WEIGHT + IMPORTANCE_WEIGHT;
const HOURLY_DECAY = 0.995;
const HOUR_MS = 3_600_000;

/**
 * Returns the weighted sum of relevance, recency of use and importance, scaled to 0 to 1 (after
 * Park et al. 2023, "Generative Agents").
 */
function scoreOf(memory: Memory, relevance: number, now: Date): number {
  const unusedHours = Math.max(0, now.getTime() - memory.lastUsedAt.getTime()) / HOUR_MS;
  const recency = RECENCY_WEIGHT * HOURLY_DECAY ** unusedHours;
  return (relevance + recency + IMPORTANCE_WEIGHT * memory.importance) / SCORE_MAX;
}
