import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { memoryOf } from '../../../test/memory-of.ts';
import type { Memory } from '../memory.ts';
import { rankMemories, toRelevances } from './rank-memories.ts';

const rank = (memories: readonly Memory[], text: string): string[] => {
  const ranking = rankMemories(memories, text);
  return memories
    .filter(({ id }) => ranking.has(id))
    .toSorted((one, other) => ranking.get(other.id)! - ranking.get(one.id)!)
    .map(({ key }) => key);
};

const MEMORIES = [
  memoryOf('burn_rate', { value: 'two million a month' }),
  memoryOf('runway', { value: 'at this burn nine months', isGlobal: true }),
  memoryOf('Größe', { value: "it's 40 % 'ÜBER' plan\\" }),
  memoryOf('tone', { value: 'brief and dry' }),
];

describe('rankMemories', () => {
  it.each<[string, string, string[]]>([
    ['words of keys before words of values', 'How high is our BURN?', ['burn_rate', 'runway']],
    ['any of its words', 'dry months', ['tone', 'runway']],
    ['letters of any script and case', 'größe und über', ['Größe']],
    ['no words at all', '?! …', []],
    ['nothing', '', []],
    ['only unknown words', 'weather tomorrow', []],
  ])('finds memories by %s', (_name, text, keys) => {
    expect(rank(MEMORIES, text)).toEqual(keys);
  });

  const SENTENCES = [
    'The price of the launch depends on the plan of the team.',
    'What should the office do about the plan of the quarter?',
    'To the market we say that the launch is on the way.',
    'The team does what is in the plan, and that is that.',
    'What the customer asks for is not in the plan.',
  ];
  const sentences = Array.from({ length: 200 }, (_, n) =>
    memoryOf(`topic_${n}`, { value: SENTENCES[n % SENTENCES.length]! }),
  );

  it.each<[string, string, string]>([
    ['a name', 'Kowalski called once', 'What does Kowalski say about the plan of the quarter?'],
    ['a number', 'clause 4711 was struck', 'What is in the contract about 4711, and is that good?'],
    ['another script', 'договор подписан', 'Is that what the договор is about, in the plan?'],
    ['stop words of another language', 'der Umzug ist im Mai', 'What about the Umzug of the team?'],
  ])('prefers a memory that shares %s to those that share common words', (_name, value, text) => {
    const [best, second] = rank([...sentences, memoryOf('note', { value })], text);
    expect([best, second]).toEqual(['note', expect.stringMatching(/^topic_/)]);
  });

  it('prefers a memory that shares two rare words to those that share one', () => {
    const rare = [
      memoryOf('one', { value: 'the tariff of the north rose in the winter' }),
      memoryOf('both', { value: 'the carrier asked for the tariff of the winter' }),
      memoryOf('other', { value: 'the carrier was late in the winter of the year' }),
    ];
    const found = rank([...sentences, ...rare], 'What is the tariff of the carrier?');
    expect(found[0]).toBe('both');
    expect(found.slice(1, 3).toSorted()).toEqual(['one', 'other']);
  });

  it('prefers a short memory to a long one with the same word', () => {
    const more = Array.from({ length: 300 }, (_, n) => `word${n}`).join(' ');
    const long = memoryOf('a', { value: `${more} tariff` });
    expect(rank([long, ...sentences, memoryOf('b', { value: 'a tariff' })], 'tariff')).toEqual([
      'b',
      'a',
    ]);
  });

  it('prefers a match in the key to one in a shorter value', () => {
    const tariffMemory = memoryOf('tariff', {
      value: 'went up to nine per cent in the north last winter',
    });
    const matching = memoryOf('note', { value: 'the tariff rose' });
    expect(rank([matching, ...sentences, tariffMemory], 'tariff')).toEqual(['tariff', 'note']);
  });

  it('ranks exactly the memories that share a word, each above 0', () => {
    const words = fc.array(fc.constantFrom('red', 'house', 'old', 'tree'), { maxLength: 4 });
    fc.assert(
      fc.property(fc.array(words, { maxLength: 5 }), words, (values, text) => {
        const memories = values.map((some, n) => memoryOf(`k${n}`, { value: some.join(' ') }));
        const ranking = rankMemories(memories, text.join(' '));
        const sharesWord = values.map((some) => some.some((word) => text.includes(word)));
        expect(memories.map(({ id }) => ranking.has(id))).toEqual(sharesWord);
        for (const score of ranking.values()) expect(score > 0 && score < Infinity).toBe(true);
      }),
    );
  });
});

describe('toRelevances', () => {
  const IDS = ['a', 'b', 'c', 'd'];

  it('scales reciprocal ranks to 0 to 1', () => {
    const ranking = new Map([
      ['a', 900],
      ['b', 3],
    ]);
    const relevances = toRelevances(IDS, ranking);
    expect(relevances.get('a')).toBe(1);
    expect(relevances.get('b')).toBeCloseTo(61 / 62, 10);
    expect([relevances.get('c'), relevances.get('d')]).toEqual([0, 0]);
  });

  it.each([[['a', 'b', 'c']], [['c', 'b', 'a']]])('are equal for equal scores: %s', (ids) => {
    const ranking = new Map([
      ['a', 1],
      ['b', 2],
      ['c', 2],
    ]);
    expect(Object.fromEntries(toRelevances(ids, ranking))).toEqual({ a: 0, b: 1, c: 1 });
  });

  it.each([
    ['nothing matches', new Map<string, number>()],
    ['all scores are equal', new Map(IDS.map((id) => [id, 0.5]))],
    ['only unknown ids match', new Map([['x', 1]])],
  ])('are 0 when %s', (_name, ranking) => {
    expect([...toRelevances(IDS, ranking).values()]).toEqual([0, 0, 0, 0]);
    expect([...toRelevances([], ranking)]).toEqual([]);
  });
});
