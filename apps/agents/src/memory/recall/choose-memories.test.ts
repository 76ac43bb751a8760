import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { memoryOf } from '../../../test/memory-of.ts';
import { chooseMemories } from './choose-memories.ts';
import type { RecallTurn } from './choose-memories.ts';
import type { Memory } from '../memory.ts';
import { MEMORY_TYPES } from '../memory.ts';
import { pickDiverse } from './pick-diverse.ts';

const turnOf = (budgetTokens: number, change: Partial<RecallTurn> = {}): RecallTurn => ({
  budgetTokens,
  tokensOf: () => 1,
  minTokensOf: () => 0,
  sessionId: 'ses_now',
  now: new Date('2026-01-01T00:00:00Z'),
  rank: () => new Map(),
  ...change,
});

const keysOf = (memories: readonly Memory[]) => memories.map(({ key }) => key);

const chooseOne = (memories: readonly Memory[], change: Partial<RecallTurn> = {}) =>
  keysOf(chooseMemories(memories, turnOf(1, change)).chosen);

describe('chooseMemories', () => {
  it('returns all memories sorted by key if they fit', () => {
    const memories = ['c', 'a', 'b'].map((key) => memoryOf(key));
    const { chosen, omitted } = chooseMemories(memories, turnOf(3));
    expect(keysOf(chosen)).toEqual(['a', 'b', 'c']);
    expect(omitted).toEqual([]);
  });

  it('returns omitted memories', () => {
    const memories = ['c', 'a', 'b'].map((key) => memoryOf(key));
    const { chosen, omitted } = chooseMemories(memories, turnOf(2));
    expect(keysOf(chosen)).toEqual(['a', 'b']);
    expect(keysOf(omitted)).toEqual(['c']);
  });

  it.each<[string, Partial<Memory>]>([
    ['a preference', { type: 'preference' }],
    ['an important memory', { importance: 0.9 }],
    ['a memory of this session', { sessionId: 'ses_now' }],
  ])('prefers %s to the most relevant memory', (_name, change) => {
    const longAgo = new Date('2020-01-01T00:00:00Z');
    const mandatory = memoryOf('m', { lastUsedAt: longAgo, ...change });
    const rank = () => new Map([['mem_a', 1]]);
    expect(chooseOne([memoryOf('a', { importance: 0.89 }), mandatory], { rank })).toEqual(['m']);
  });

  it('stays within the budget even if the mandatory memories exceed it', () => {
    const memories = ['a', 'b', 'c'].map((key) => memoryOf(key, { type: 'preference' }));
    expect(keysOf(chooseMemories(memories, turnOf(2)).chosen)).toHaveLength(2);
    expect(chooseMemories(memories, turnOf(0)).omitted).toHaveLength(3);
  });

  it.each<[string, Partial<Memory>, Partial<RecallTurn>]>([
    ['the memory that matches the message', {}, { rank: () => new Map([['mem_b', 0.1]]) }],
    [
      'the most recently used memory',
      { lastUsedAt: new Date('2026-01-02T00:00:00Z') },
      { now: new Date('2026-01-03') },
    ],
    ['the more important memory', { importance: 0.5 }, {}],
    ['the most recently changed memory', { updatedAt: new Date('2026-01-02T00:00:00Z') }, {}],
    [
      'the memory with fewer tokens',
      {},
      { tokensOf: ({ key }) => (key === 'b' ? 1 : 2), budgetTokens: 2 },
    ],
    ['the memory that fits', {}, { tokensOf: ({ key }) => (key === 'b' ? 1 : 2) }],
  ])('prefers %s', (_name, change, turn) => {
    expect(chooseOne([memoryOf('a'), memoryOf('b', change), memoryOf('c')], turn)).toEqual(['b']);
  });

  it('avoids near duplicates while other memories are left', () => {
    const lisbon = { value: 'The office moves to Lisbon in May', importance: 0.3 };
    const memories = [
      memoryOf('move', lisbon),
      memoryOf('move again', lisbon),
      memoryOf('budget', { value: 'Four million euros', importance: 0.1 }),
    ];
    expect(keysOf(chooseMemories(memories, turnOf(2)).chosen)).toEqual(['budget', 'move']);
  });
});

function similarityOf(one: string, other: string): number {
  const words = new Set(one.split(' '));
  const all = new Set([...words, ...other.split(' ')]);
  const sharedWords = new Set(other.split(' ').filter((word) => words.has(word)));
  return sharedWords.size / all.size;
}

type Candidate = { memory: Memory; tokens: number; isMandatory: boolean; score: number };

function pickExhaustively(candidates: readonly Candidate[], budgetTokens: number): Set<Memory> {
  const chosen = new Set<Memory>();
  const textOf = ({ key, value }: Memory) => `${key} ${value}`.trim();
  for (let left = budgetTokens; ;) {
    const gainPerTokenOf = ({ memory, score, tokens }: Candidate): number => {
      const similarity = [...chosen].map((item) => similarityOf(textOf(item), textOf(memory)));
      return (0.7 * score - (1 - 0.7) * Math.max(0, ...similarity)) / Math.max(1, tokens);
    };
    const [best] = candidates
      .filter(({ memory, tokens }) => !chosen.has(memory) && tokens <= left)
      .toSorted(
        (one, other) =>
          Number(other.isMandatory) - Number(one.isMandatory) ||
          gainPerTokenOf(other) - gainPerTokenOf(one) ||
          other.memory.updatedAt.getTime() - one.memory.updatedAt.getTime() ||
          (one.memory.keyNorm < other.memory.keyNorm ? -1 : 1),
      );
    if (!best) return chosen;
    chosen.add(best.memory);
    left -= best.tokens;
  }
}

describe('pickDiverse', () => {
  it('makes the same choice as a full greedy evaluation', () => {
    const word = fc.constantFrom('red', 'green', 'blue', 'one', 'two', 'three');
    const candidate = fc.record({
      value: fc.array(word, { maxLength: 4 }),
      type: fc.constantFrom(...MEMORY_TYPES),
      day: fc.nat(2),
      tokens: fc.nat(4),
      knownShare: fc.double({ min: 0, max: 1, noNaN: true }),
      score: fc.constantFrom(0, 0.2, 0.5, 0.9),
    });
    fc.assert(
      fc.property(fc.array(candidate, { maxLength: 10 }), fc.nat(20), (generated, budget) => {
        const candidates = generated.map(
          ({ value, type, day, tokens, knownShare, score }, index) => ({
            memory: memoryOf(`k${index}`, { value: value.join(' '), updatedAt: new Date(day) }),
            isMandatory: type === 'preference',
            tokens,
            tokensOf: () => tokens,
            minTokens: tokens * knownShare,
            score,
          }),
        );
        const picked = keysOf([...pickDiverse(candidates, budget)]);
        expect(picked).toEqual(keysOf([...pickExhaustively(candidates, budget)]));
      }),
    );
  });

  it('picks the only different memory among a thousand duplicates', () => {
    const same = 'The customer wants to be called in the morning';
    const memories = Array.from({ length: 1_000 }, (_, n) => memoryOf(`k${n}`, { value: same }));
    const other = memoryOf('z', { value: 'Four million euros', importance: 0.4 });
    const { chosen } = chooseMemories([...memories, other], turnOf(500));
    expect(chosen).toContain(other);
    expect(chosen).toHaveLength(500);
  });

  it('counts tokens only for likely picks', () => {
    const memories = Array.from({ length: 100 }, (_, n) =>
      memoryOf(`k${n}`, { value: `word${n}`, updatedAt: new Date(n) }),
    );
    let counted = 0;
    const tokensOf = (): number => (counted += 1) && 10;
    const turn = turnOf(50, { tokensOf, minTokensOf: () => 10 });
    const { chosen } = chooseMemories(memories, turn);
    expect(keysOf(chosen)).toEqual(['k95', 'k96', 'k97', 'k98', 'k99']);
    expect(counted).toBe(5);
  });
});
