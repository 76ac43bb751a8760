import { describe, expect, it } from '@jest/globals';
import { createRetrieve } from './retrieve.ts';
import type { KnowledgeSearch, SimilaritySearch, StoredChunk } from './retrieve.ts';

const SOURCE = { id: 'kns_1', no: 1, name: 'Handbook', chunkCount: 2, wordCount: 4 };
const chunkOf = (more: Partial<StoredChunk>): StoredChunk => ({
  id: 'knc_1',
  sourceId: 'kns_1',
  documentId: 'knd_1',
  title: 'Leave',
  page: null,
  text: 'zirconium',
  ...more,
});

const openSearch = (chunks: StoredChunk[], similarity?: SimilaritySearch) => {
  const bases: string[] = [];
  const search: KnowledgeSearch = {
    findSources: async () => [SOURCE],
    countBases: async (_sources, wanted) => {
      bases.push(...wanted);
      return wanted.map((base) => ({ base, sourceNo: 1, chunks: 1, thrice: 0, sixTimes: 0 }));
    },
    findCandidates: async () =>
      chunks.filter(({ text }) => text.includes('zirconium')).map(({ id }) => id),
    loadChunks: async () => chunks,
  };
  return { bases, retrieve: createRetrieve(search, similarity) };
};

describe('createRetrieve', () => {
  it.each([
    ['first', (filler: string) => `zirconium ${filler}`],
    ['last', (filler: string) => `${filler} zirconium`],
  ])('searches a long message by its %s words', async (_name, position) => {
    const { bases, retrieve } = openSearch([chunkOf({})]);
    const text = position(`${'ab '.repeat(50_000)}interoperability${' ab'.repeat(50_000)}`);
    expect(await retrieve('ws_1', { text, limit: 8, isLocal: false })).toHaveLength(1);
    expect(bases).toContain('zirco*');
    expect(bases).not.toContain('inter*');
  });

  it('returns duplicate text once, at its best rank', async () => {
    const chunks = [
      chunkOf({ id: 'knc_1', title: 'Other' }),
      chunkOf({ id: 'knc_2', title: 'Zirconium' }),
      chunkOf({ id: 'knc_3', text: 'zirconium too' }),
    ];
    const { retrieve } = openSearch(chunks);
    const passages = await retrieve('ws_1', { text: 'zirconium', limit: 8, isLocal: false });
    expect(passages.map(({ chunkId }) => chunkId)).toEqual(['knc_2', 'knc_3']);
  });

  it('fuses the ranking by terms with that by similarity, equal scores by id', async () => {
    const chunks = [
      chunkOf({ id: 'knc_similar', text: 'a metal' }),
      chunkOf({ id: 'knc_both', text: 'zirconium is a metal of the fourth group' }),
      chunkOf({ id: 'knc_terms', text: 'zirconium' }),
    ];
    const findSimilar = async () => ['knc_similar', 'knc_both'];
    const { retrieve } = openSearch(chunks, { findSimilar, isLocal: false });
    const passages = await retrieve('ws_1', { text: 'zirconium', limit: 8, isLocal: false });
    expect(passages.map(({ chunkId }) => chunkId)).toEqual([
      'knc_both',
      'knc_similar',
      'knc_terms',
    ]);
    const scores = passages.map(({ score }) => score);
    expect(scores.every((score) => score > 0 && score <= 1)).toBe(true);
  });

  it.each([
    [false, false, 1],
    [true, false, 0],
    [true, true, 1],
  ])(
    'with a local-only query %s and a local model %s searches by similarity %s times',
    async (isQueryLocal, isLocal, calls) => {
      let count = 0;
      const findSimilar = async () => {
        count += 1;
        return [];
      };
      const { retrieve } = openSearch([chunkOf({})], { findSimilar, isLocal });
      const query = { text: 'zirconium', limit: 8, isLocal: isQueryLocal };
      expect(await retrieve('ws_1', query)).toHaveLength(1);
      expect(count).toBe(calls);
    },
  );

  it('omits chunks of sources outside the scope', async () => {
    const { retrieve } = openSearch([chunkOf({ sourceId: 'kns_2' })]);
    expect(await retrieve('ws_1', { text: 'zirconium', limit: 8, isLocal: false })).toEqual([]);
  });
});
