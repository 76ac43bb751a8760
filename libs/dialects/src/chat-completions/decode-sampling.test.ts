import { describe, expect, it } from '@jest/globals';
import { decodeSampling } from './decode-request.ts';

describe('decodeSampling', () => {
  it('returns undefined without sampling parameters', () => {
    expect(decodeSampling({ temperature: null, messages: [] })).toBeUndefined();
  });

  it.each([
    ['max_tokens', { max_tokens: 5 }, 5],
    ['max_completion_tokens', { max_completion_tokens: 6 }, 6],
    ['the smaller of both', { max_tokens: 7, max_completion_tokens: 6 }, 6],
    ['the smaller of both in the other order', { max_tokens: 5, max_completion_tokens: 6 }, 5],
    ['a limit beyond 32 bits', { max_tokens: 1e12 }, 2 ** 32 - 1],
    ['zero, which differs from absent', { max_tokens: 0 }, 0],
  ])('accepts %s', (_name, body, expected) => {
    expect(decodeSampling(body)?.maxOutputTokens).toBe(expected);
  });

  it('wraps a single stop string in a list', () => {
    expect(decodeSampling({ stop: 'END' })?.stop).toEqual(['END']);
    expect(decodeSampling({ stop: ['a', 'b'] })?.stop).toEqual(['a', 'b']);
  });

  it('accepts top_k of local runtimes', () => {
    expect(decodeSampling({ top_k: 40 })?.topK).toBe(40);
  });

  it.each([
    ['temperature', 'hot', 'temperature'],
    ['temperature', Number.NaN, 'temperature'],
    ['top_p', true, 'top_p'],
    ['top_k', 1.5, 'top_k'],
    ['max_tokens', -1, 'max_tokens'],
    ['max_completion_tokens', '9', 'max_completion_tokens'],
    ['seed', 1.5, 'seed'],
    ['seed', 2 ** 53, 'seed'],
    ['stop', 5, 'stop'],
    ['stop', ['a', 5], 'stop[1]'],
    ['stop', [''], 'stop[0]'],
    ['presence_penalty', [], 'presence_penalty'],
    ['frequency_penalty', {}, 'frequency_penalty'],
    ['reasoning_effort', 3, 'reasoning_effort'],
    ['user', 3, 'user'],
  ])('refuses %s %p', (name, value, param) => {
    expect(() => decodeSampling({ [name]: value })).toThrow(
      expect.objectContaining({ reason: 'INVALID_REQUEST', fields: { param } }),
    );
  });
});
