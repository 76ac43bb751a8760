import { describe, expect, it } from '@jest/globals';
import { toBase64Vector } from '@witan/proof';
import { embeddings, encodeVectors } from './endpoint.ts';

describe('a request for embeddings', () => {
  it.each([
    ['the model', ['model'], 'fixed'],
    ['the encoding', ['encoding_format'], 'fixed'],
    ['a text', ['input'], 'text'],
    ['a text in a list', ['input', 1], 'text'],
    ['the user', ['user'], 'text'],
    ['a member of the provider', ['task', 'title'], 'text'],
  ] as const)('has leaves that are masked or not: %s', (_name, path, expected) => {
    expect(embeddings.toRequestLeaf(path, { input: ['a', 'b'] })).toBe(expected);
  });

  it.each([
    ['tokens', [1, 2], ['input', 0]],
    ['lists of tokens', [[1], [2]], ['input', 1, 0]],
  ] as const)('has leaves that are not read: %s', (_name, input, path) => {
    expect(embeddings.toRequestLeaf(path, { input })).toBe('signed');
    expect(embeddings.findUnreadable!({ input })).toBe('input');
  });

  it('of objects is not readable', () => {
    expect(embeddings.findUnreadable!({ input: { text: 'a' } })).toBe('input');
    expect(embeddings.findUnreadable!({ input: [{ text: 'a' }] })).toBe('input');
  });

  it.each([['a'], [['a', 'b']], [undefined]])('of texts is readable: %j', (input) => {
    expect(embeddings.findUnreadable!({ input })).toBeUndefined();
  });

  it.each<[string, unknown, number]>([
    ['a text', 'four', 4],
    ['texts', ['four', 'ab'], 6],
    ['tokens', [1, 2], 8],
    ['lists of tokens', [[1, 2], [3]], 12],
    ['nothing', undefined, 0],
  ])('has a length: %s', (_name, input, promptLength) => {
    expect(embeddings.readSignals({ input })).toMatchObject({ promptLength, userTurns: 1 });
  });

  it('is sent with the model of the target, and otherwise as it is', () => {
    const summary = embeddings.readRequest({ model: 'a', encoding_format: 'base64' });
    expect(summary).toMatchObject({ streamed: false, choices: 0 });
    const target = { model: 'b', maxOutputTokens: 100 };
    expect(embeddings.toEgressEdits(summary, target).edits).toEqual({ model: '"b"' });
    expect(embeddings.toEgressEdits(summary, { ...target, model: 'a' }).edits).toEqual({});
  });

  it.each<[string, object, object]>([
    ['a text', { input: 'a' }, { encoding: 'float', count: 1 }],
    ['texts', { input: ['a', 'b'] }, { encoding: 'float', count: 2 }],
    ['tokens', { input: [1, 2, 3] }, { encoding: 'float', count: 1 }],
    ['lists of tokens', { input: [[1], [2]] }, { encoding: 'float', count: 2 }],
    ['base64', { input: 'a', encoding_format: 'base64' }, { encoding: 'base64', count: 1 }],
  ])('requests one vector for each input: %s', (_name, body, expected) => {
    expect(embeddings.readRequest({ ...body }).vectorRequest).toEqual(expected);
  });

  it('cannot be converted to a conversation', () => {
    expect(() => embeddings.decodeRequest({})).toThrow(
      expect.objectContaining({ reason: 'INVALID_REQUEST' }),
    );
  });
});

describe('a response with vectors', () => {
  const floats = [0.5, -1];
  const base64 = toBase64Vector(floats)!;
  const bodyOf = (...embedding: unknown[]) => ({
    data: embedding.map((one) => ({ embedding: one, x: 1 })),
  });

  it.each([
    ['float', floats],
    ['base64', base64],
  ] as const)('in the requested encoding is the same object: %s', (encoding, embedding) => {
    const body = bodyOf(embedding, embedding);
    expect(encodeVectors(body, encoding)).toBe(body);
  });

  it('in the other encoding is converted', () => {
    expect(encodeVectors(bodyOf(base64, floats), 'float')).toEqual(bodyOf(floats, floats));
    expect(encodeVectors(bodyOf(base64, floats), 'base64')).toEqual(bodyOf(base64, base64));
  });

  it('that is invalid stays as it is', () => {
    const body = bodyOf('no base64', null);
    expect(encodeVectors(body, 'float')).toEqual(body);
    expect(encodeVectors({ error: {} }, 'float')).toEqual({ error: {} });
  });
});
