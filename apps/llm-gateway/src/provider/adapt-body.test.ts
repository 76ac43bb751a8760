import { describe, expect, it } from '@jest/globals';
import { adaptBody } from './adapt-body.ts';

const NONE = { outputLimit: undefined, unsupported: [] };

describe('a body for a provider', () => {
  it('is the same text without an adaptation', () => {
    const text = '{"a": 1.0}';
    expect(adaptBody(text, NONE)).toEqual({ text, removed: [] });
  });

  it('loses members that the provider refuses, and nothing else', () => {
    const text = '{"model":"m", "store":true,"seed":1.50}';
    expect(adaptBody(text, { ...NONE, unsupported: ['store', 'user'] })).toEqual({
      text: '{"model":"m", "seed":1.50}',
      removed: ['store'],
    });
  });

  it.each([
    ['{"max_completion_tokens":5}', '{"max_tokens":5}'],
    ['{"max_tokens":5}', '{"max_tokens":5}'],
    ['{"max_tokens":5,"max_completion_tokens":9}', '{"max_tokens":5}'],
    ['{"a":1}', '{"a":1}'],
  ])('has the output limit that the provider knows: %s', (text, expected) => {
    expect(adaptBody(text, { ...NONE, outputLimit: 'max_tokens' }).text).toBe(expected);
  });

  it('has the newer output limit for a provider that knows only that', () => {
    const adaptation = { ...NONE, outputLimit: 'max_completion_tokens' as const };
    expect(adaptBody('{"max_tokens":5}', adaptation).text).toBe('{"max_completion_tokens":5}');
  });
});
