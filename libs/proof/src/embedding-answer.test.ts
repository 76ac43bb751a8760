import { describe, expect, it } from '@jest/globals';
import { EMBEDDINGS, VECTORS } from '../vectors/embeddings.ts';
import { vectorText } from '../test/vector-file.ts';
import {
  commitEmbeddings,
  createEmbeddingAnswer,
  parseBase64Vector,
  toBase64Vector,
} from './embedding-answer.ts';
import { verifyCertificate } from './verify-certificate.ts';
import { verifyRequest, verifyResponse } from './verify-content.ts';
import { parsePublicKeys } from './keys.ts';
import { reasonOf } from '../test/reason-of.ts';

describe('a response with embeddings', () => {
  it.each(EMBEDDINGS)('commits to its vectors: $name', ({ body, sha256 }) => {
    const answer = createEmbeddingAnswer();
    answer.body(body);
    expect(answer.vectors()).toEqual(VECTORS);
    expect(commitEmbeddings(answer.vectors())).toBe(sha256);
    expect(answer.usage).toEqual({ promptTokens: 5, completionTokens: 0, totalTokens: 5 });
    expect(answer.finishReason).toBe('stop');
  });

  it.each<[string, unknown]>([
    ['no object', 'text'],
    ['no data', {}],
    ['no rows', { data: [] }],
    ['a row without a vector', { data: [{ index: 0 }] }],
    ['one invalid vector of two', { data: [{ embedding: [1] }, { embedding: [] }] }],
  ])('has no vectors: %s', (_name, body) => {
    const answer = createEmbeddingAnswer();
    answer.body(body);
    expect(answer.vectors()).toEqual([]);
    expect(answer.finishReason).toBeUndefined();
  });
});

describe('a vector', () => {
  it.each<[string, unknown]>([
    ['no list', {}],
    ['text in a list', [1, '2']],
    ['a number beyond 32-bit floats', [1e300]],
    ['no base64', 'AAA*'],
    ['base64 of no whole floats', 'AAAA'],
    ['base64 of NaN', 'AADAfw=='],
    ['an empty text', ''],
  ])('is not read from %s', (_name, value) => {
    expect(toBase64Vector(value)).toBeUndefined();
  });

  it('is the same in both encodings, without negative zeros', () => {
    const base64 = toBase64Vector([-0, 1])!;
    expect(base64).toBe(toBase64Vector([0, 1]));
    expect(toBase64Vector([-1e-50, 1])).toBe(base64); // Negative zero only once it is rounded.
    expect(toBase64Vector('AAAAgAAAgD8=')).toBe(base64);
    expect(parseBase64Vector(base64)).toEqual([0, 1]);
  });

  it('of many dimensions is read', () => {
    const numbers = Array.from({ length: 20_000 }, (_, index) => index / 4);
    expect(parseBase64Vector(toBase64Vector(numbers)!)).toEqual(numbers);
  });
});

describe('the certificate of embeddings', () => {
  const keys = parsePublicKeys(vectorText('public-key.json'));
  const { payload } = verifyCertificate(vectorText('embedding-certificate.json'), keys);
  const BODY = EMBEDDINGS[0]!.body;
  const bytesOf = (body: unknown): Uint8Array => Buffer.from(JSON.stringify(body));

  it('covers request and response, in each encoding', () => {
    verifyRequest(payload, vectorText('embedding-request.json'));
    for (const { body } of EMBEDDINGS) {
      expect(verifyResponse(payload, bytesOf(body))).toEqual({
        compared: ['vectors', 'usage', 'model'],
        notCovered: [],
      });
    }
  });

  it('reports what it does not cover', () => {
    const body = { ...BODY, cost: 1 };
    expect(verifyResponse(payload, bytesOf(body)).notCovered).toEqual(['cost']);
  });

  it.each<[string, object, string]>([
    ['another vector', { data: [{ index: 0, embedding: [1] }] }, 'response'],
    ['no vector', { data: [{ index: 0, embedding: 'no' }] }, 'answer'],
    ['another usage', { usage: { prompt_tokens: 6, total_tokens: 6 } }, 'usage'],
    ['another model', { model: 'other' }, 'model'],
    ['its vectors in another order', { data: BODY.data.toReversed() }, 'answer'],
    [
      'indexes that are no positions',
      { data: BODY.data.map((row) => ({ ...row, index: row.index + 5 })) },
      'answer',
    ],
  ])('does not cover a response with %s', (_name, change, reason) => {
    const body = bytesOf({ ...BODY, ...change });
    expect(reasonOf(() => verifyResponse(payload, body))).toBe(reason);
  });
});
