import { fuseRanks } from './fuse-ranks.ts';
import type { Ranking } from './fuse-ranks.ts';
import { compareKeys } from '../memory.ts';
import type { Memory } from '../memory.ts';
import { pickDiverse } from './pick-diverse.ts';

export type RecallTurn = {
  budgetTokens: number;
  tokensOf: (memory: Memory) => number;
  minTokensOf: (memory: Memory) => number;
  sessionId: string;
  now: Date;
  /** Returns one ranking per search method; it is called only if not all memories fit. */
  rank: () => readonly Ranking[];
};

export type ChosenMemories = { chosen: Memory[]; omitted: Memory[] };

/**
 * Returns all memories if they fit the budget. Otherwise chooses mandatory ones first, then those
 * with the highest score per token, where similarity to a chosen memory lowers the score. Never
 * exceeds the budget. An agent's own memory hides a global one with the same key.
 */
export function chooseMemories(memories: readonly Memory[], turn: RecallTurn): ChosenMemories {
  const visible = dropOverridden(memories).toSorted(compareKeys);
  if (allFit(visible, turn)) return { chosen: visible, omitted: [] };

  const ids = visible.map(({ id }) => id);
  const relevance = fuseRanks(ids, turn.rank());
  const candidates = visible.map((memory) => ({
    memory,
    minTokens: turn.minTokensOf(memory),
    tokensOf: turn.tokensOf,
    isMandatory: isMandatory(memory, turn.sessionId),
    score: scoreOf(memory, relevance.get(memory.id) ?? 0, turn.now),
  }));
  const chosen = pickDiverse(candidates, turn.budgetTokens);
  return {
    chosen: visible.filter((memory) => chosen.has(memory)),
    omitted: visible.filter((memory) => !chosen.has(memory)),
  };
}

function allFit(memories: readonly Memory[], turn: RecallTurn): boolean {
  const { budgetTokens, minTokensOf, tokensOf } = turn;
  const sum = (tokens: (memory: Memory) => number): number =>
    memories.reduce((total, memory) => total + tokens(memory), 0);
  return sum(minTokensOf) <= budgetTokens && sum(tokensOf) <= budgetTokens;
}

function dropOverridden(memories: readonly Memory[]): Memory[] {
  const own = new Set(memories.filter(({ isGlobal }) => !isGlobal).map(({ keyNorm }) => keyNorm));
  return memories.filter(({ isGlobal, keyNorm }) => !isGlobal || !own.has(keyNorm));
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
