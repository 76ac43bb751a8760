import { describe, expect, it } from '@jest/globals';
import { writeEmbeddings } from './write-embeddings.ts';

const write = (request: object) => writeEmbeddings({ ...request }, 'm');

describe('embeddings of the offline provider', () => {
  it('depend on the text alone', () => {
    expect(write({ input: ['a', 'b'] })).toEqual(write({ input: ['a', 'b'] }));
    const { data, usage } = write({ input: ['a', 'b', 'a'] }) as {
      data: { index: number; embedding: number[] }[];
      usage: object;
    };
    expect(data.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(data[2]!.embedding).toEqual(data[0]!.embedding);
    expect(data[1]!.embedding).not.toEqual(data[0]!.embedding);
    expect(usage).toEqual({ prompt_tokens: 3, total_tokens: 3 });
  });

  it.each<[string, object, string]>([
    ['no input', {}, 'input'],
    ['an empty list', { input: [] }, 'input'],
    ['a mixed list', { input: ['a', 1] }, 'input'],
    ['no dimensions', { input: 'a', dimensions: 0 }, 'dimensions'],
    ['too many dimensions', { input: 'a', dimensions: 10_000 }, 'dimensions'],
  ])('are refused for %s', (_name, request, param) => {
    expect(() => write(request)).toThrow(
      expect.objectContaining({ fields: expect.objectContaining({ param }) }),
    );
  });
});
