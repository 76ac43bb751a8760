import { fuseRanks } from './fuse-ranks.ts';
import type { Ranking } from './fuse-ranks.ts';
import { compareKeys } from './memory.ts';
import type { Memory } from './memory.ts';
import { pickDiverse } from './pick-diverse.ts';

/** The token budget of a turn for memories, and the turn's text. */
export type RecallTurn = {
  budgetTokens: number;
  /** Tokens of a rendered memory. */
  tokensOf: (memory: Memory) => number;
  /**
   * A lower bound of `tokensOf` in constant time: of thousands of memories only some are rendered.
   */
  leastTokensOf: (memory: Memory) => number;
  sessionId: string;
  now: Date;
  /** Rankings of the memories against the message, one per search method; called if not all fit. */
  rank: () => readonly Ranking[];
};

/** `omitted` did not fit into the budget; both are sorted by key. */
export type ChosenMemories = { chosen: Memory[]; omitted: Memory[] };

/**
 * Chooses the memories shown in a turn: all of them if they fit; else the mandatory ones first,
 * then the best per token, without near duplicates. Never exceeds the budget. A global memory is
 * dropped if the agent has its own memory of the same key.
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

/** Mandatory memories are chosen first if not all fit. */
function isMandatory({ type, importance, ...memory }: Memory, sessionId: string): boolean {
  return type === 'preference' || importance >= IMPORTANT || memory.sessionId === sessionId;
}

const RECENCY_WEIGHT = 0.5;
const IMPORTANCE_WEIGHT = 0.5;
const SCORE_MAX = 1 + RECENCY_WEIGHT + IMPORTANCE_WEIGHT;
/** Hourly decay factor of recency. */
const HOURLY_DECAY = 0.995;
const HOUR_MS = 3_600_000;

/** Returns 0 to 1: relevance, recency of use and importance (Park et al. 2023, other weights). */
function scoreOf(memory: Memory, relevance: number, now: Date): number {
  const unusedHours = Math.max(0, now.getTime() - memory.lastUsedAt.getTime()) / HOUR_MS;
  const recency = RECENCY_WEIGHT * HOURLY_DECAY ** unusedHours;
  return (relevance + recency + IMPORTANCE_WEIGHT * memory.importance) / SCORE_MAX;
}
