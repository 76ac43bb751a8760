import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { memoryOf } from '../../../test/memory-of.ts';
import { chooseMemories } from './choose-memories.ts';
import type { RecallTurn } from './choose-memories.ts';
import type { Memory } from './memory.ts';
import { MEMORY_TYPES } from './memory.ts';
import { pickDiverse } from './pick-diverse.ts';

const turnOf = (budgetTokens: number, change: Partial<RecallTurn> = {}): RecallTurn => ({
  budgetTokens,
  tokensOf: () => 1,
  minTokensOf: () => 0,
  sessionId: 'ses_now',
  now: new Date('2026-01-01T00:00:00Z'),
  rank: () => [],
  ...change,
});

const keysOf = (memories: readonly Memory[]) => memories.map(({ key }) => key);

const bestOf = (memories: readonly Memory[], change: Partial<RecallTurn> = {}) =>
  keysOf(chooseMemories(memories, turnOf(1, change)).chosen);

describe('recall', () => {
  it('shows all memories by key while they fit', () => {
    const memories = ['c', 'a', 'b'].map((key) => memoryOf(key));
    const { chosen, omitted } = chooseMemories(memories, turnOf(3));
    expect(keysOf(chosen)).toEqual(['a', 'b', 'c']);
    expect(omitted).toEqual([]);
  });

  it('says what it left out', () => {
    const memories = ['c', 'a', 'b'].map((key) => memoryOf(key));
    const { chosen, omitted } = chooseMemories(memories, turnOf(2));
    expect(keysOf(chosen)).toEqual(['a', 'b']);
    expect(keysOf(omitted)).toEqual(['c']);
  });

  it('shows an agent its own memory instead of a global one with the key', () => {
    const memories = [
      memoryOf('a', { isGlobal: true }),
      memoryOf('A'),
      memoryOf('b', { isGlobal: true }),
    ];
    const { chosen, omitted } = chooseMemories(memories, turnOf(2));
    expect(keysOf(chosen)).toEqual(['A', 'b']);
    expect(omitted).toEqual([]);
  });

  it.each<[string, Partial<Memory>]>([
    ['a preference', { type: 'preference' }],
    ['an important one', { importance: 0.9 }],
    ['one of this session', { sessionId: 'ses_now' }],
  ])('puts %s before the most relevant one', (_name, change) => {
    const old = new Date('2020-01-01T00:00:00Z');
    const mandatory = memoryOf('m', { lastUsedAt: old, ...change });
    const rank = () => [new Map([['mem_a', 1]])];
    expect(bestOf([memoryOf('a', { importance: 0.89 }), mandatory], { rank })).toEqual(['m']);
  });

  it('keeps the budget even when the mandatory ones do not', () => {
    const memories = ['a', 'b', 'c'].map((key) => memoryOf(key, { type: 'preference' }));
    expect(keysOf(chooseMemories(memories, turnOf(2)).chosen)).toHaveLength(2);
    expect(chooseMemories(memories, turnOf(0)).omitted).toHaveLength(3);
  });

  it.each<[string, Partial<Memory>, Partial<RecallTurn>]>([
    ['what matches the message', {}, { rank: () => [new Map([['mem_b', 0.1]])] }],
    [
      'what was used lately',
      { lastUsedAt: new Date('2026-01-02T00:00:00Z') },
      { now: new Date('2026-01-03') },
    ],
    ['what is important', { importance: 0.5 }, {}],
    ['what was changed last', { updatedAt: new Date('2026-01-02T00:00:00Z') }, {}],
    [
      'what takes fewer tokens',
      {},
      { tokensOf: ({ key }) => (key === 'b' ? 1 : 2), budgetTokens: 2 },
    ],
    ['what fits', {}, { tokensOf: ({ key }) => (key === 'b' ? 1 : 2) }],
  ])('prefers %s', (_name, change, turn) => {
    expect(bestOf([memoryOf('a'), memoryOf('b', change), memoryOf('c')], turn)).toEqual(['b']);
  });

  it('does not say one thing twice while another is left', () => {
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
  const both = new Set(other.split(' ').filter((word) => words.has(word)));
  return both.size / all.size;
}

type Weighed = { memory: Memory; tokens: number; isMandatory: boolean; score: number };

function pickSlowly(candidates: readonly Weighed[], budgetTokens: number): Set<Memory> {
  const chosen = new Set<Memory>();
  const textOf = ({ key, value }: Memory) => `${key} ${value}`.trim();
  for (let left = budgetTokens; ;) {
    const worthOf = ({ memory, score, tokens }: Weighed): number => {
      const similarity = [...chosen].map((one) => similarityOf(textOf(one), textOf(memory)));
      return (0.7 * score - (1 - 0.7) * Math.max(0, ...similarity)) / Math.max(1, tokens);
    };
    const [best] = candidates
      .filter(({ memory, tokens }) => !chosen.has(memory) && tokens <= left)
      .toSorted(
        (one, other) =>
          Number(other.isMandatory) - Number(one.isMandatory) ||
          worthOf(other) - worthOf(one) ||
          other.memory.updatedAt.getTime() - one.memory.updatedAt.getTime() ||
          (one.memory.keyNorm < other.memory.keyNorm ? -1 : 1),
      );
    if (!best) return chosen;
    chosen.add(best.memory);
    left -= best.tokens;
  }
}

describe('the diverse choice', () => {
  it('is the greedy one, though most worths and tokens are never looked at', () => {
    const word = fc.constantFrom('red', 'green', 'blue', 'one', 'two', 'three');
    const candidate = fc.record({
      value: fc.array(word, { maxLength: 4 }),
      type: fc.constantFrom(...MEMORY_TYPES),
      day: fc.nat(2),
      tokens: fc.nat(4),
      known: fc.double({ min: 0, max: 1, noNaN: true }),
      score: fc.constantFrom(0, 0.2, 0.5, 0.9),
    });
    fc.assert(
      fc.property(fc.array(candidate, { maxLength: 10 }), fc.nat(20), (drawn, budget) => {
        const candidates = drawn.map(({ value, type, day, tokens, known, score }, index) => ({
          memory: memoryOf(`k${index}`, { value: value.join(' '), updatedAt: new Date(day) }),
          isMandatory: type === 'preference',
          tokens,
          tokensOf: () => tokens,
          minTokens: tokens * known,
          score,
        }));
        const picked = keysOf([...pickDiverse(candidates, budget)]);
        expect(picked).toEqual(keysOf([...pickSlowly(candidates, budget)]));
      }),
    );
  });

  it('sees one of its kind among a thousand that say the same', () => {
    const same = 'The customer wants to be called in the morning';
    const memories = Array.from({ length: 1_000 }, (_, n) => memoryOf(`k${n}`, { value: same }));
    const other = memoryOf('z', { value: 'Four million euros', importance: 0.4 });
    const { chosen } = chooseMemories([...memories, other], turnOf(500));
    expect(chosen).toContain(other);
    expect(chosen).toHaveLength(500);
  });

  it('counts the tokens only of what it may show', () => {
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
