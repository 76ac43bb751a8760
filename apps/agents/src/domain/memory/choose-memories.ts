import { fuseRanks } from './fuse-ranks.ts';
import type { Ranking } from './fuse-ranks.ts';
import { compareKeys } from './memory.ts';
import type { Memory } from './memory.ts';
import { pickDiverse } from './pick-diverse.ts';

/** What a turn may spend on memories, and what it is about. */
export type RecallTurn = {
  budgetTokens: number;
  /** Tokens that a memory takes as it is rendered. */
  tokensOf: (memory: Memory) => number;
  /** No more than that, told in no time: of thousands only some are rendered. */
  leastTokensOf: (memory: Memory) => number;
  sessionId: string;
  now: Date;
  /** How well memories match the message, by each way to search; asked when not all fit. */
  rank: () => readonly Ranking[];
};

/** `omitted` is what the budget left out, for the trace; both sorted by key. */
export type ChosenMemories = { chosen: Memory[]; omitted: Memory[] };

/**
 * The memories that a turn shows its agent (C4 Recall): all of them while they fit. Else first the
 * mandatory ones, then the best of the rest for their tokens, none twice in other words. The budget
 * is kept in any case. A global memory that one of the agent's own shadows is not there at all.
 */
export function chooseMemories(memories: readonly Memory[], turn: RecallTurn): ChosenMemories {
  const visible = dropShadowed(memories).toSorted(compareKeys);
  if (doAllFit(visible, turn)) return { chosen: visible, omitted: [] };

  const ids = visible.map(({ id }) => id);
  const relevance = fuseRanks(ids, turn.rank());
  const candidates = visible.map((memory) => ({
    memory,
    leastTokens: turn.leastTokensOf(memory),
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

function doAllFit(memories: readonly Memory[], turn: RecallTurn): boolean {
  const { budgetTokens, leastTokensOf, tokensOf } = turn;
  const sum = (tokens: (memory: Memory) => number): number =>
    memories.reduce((total, memory) => total + tokens(memory), 0);
  return sum(leastTokensOf) <= budgetTokens && sum(tokensOf) <= budgetTokens;
}

function dropShadowed(memories: readonly Memory[]): Memory[] {
  const own = new Set(memories.filter(({ isGlobal }) => !isGlobal).map(({ keyNorm }) => keyNorm));
  return memories.filter(({ isGlobal, keyNorm }) => !isGlobal || !own.has(keyNorm));
}

const IMPORTANT = 0.9;

/** What comes before everything else when not all fit. */
function isMandatory({ type, importance, ...memory }: Memory, sessionId: string): boolean {
  return type === 'preference' || importance >= IMPORTANT || memory.sessionId === sessionId;
}

const RECENCY_WEIGHT = 0.5;
const IMPORTANCE_WEIGHT = 0.5;
const SCORE_MAX = 1 + RECENCY_WEIGHT + IMPORTANCE_WEIGHT;
/** What is left of recency after an hour without use. */
const HOURLY_DECAY = 0.995;
const HOUR_MS = 3_600_000;

/** 0 to 1: relevance, recency of use and importance (Park et al. 2023, with C4's weights). */
function scoreOf(memory: Memory, relevance: number, now: Date): number {
  const unusedHours = Math.max(0, now.getTime() - memory.lastUsedAt.getTime()) / HOUR_MS;
  const recency = RECENCY_WEIGHT * HOURLY_DECAY ** unusedHours;
  return (relevance + recency + IMPORTANCE_WEIGHT * memory.importance) / SCORE_MAX;
}
