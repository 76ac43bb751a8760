import { describe, expect, it } from '@jest/globals';
import { preserveLongNumbers, parseExactly } from './parse-exactly.ts';

describe('parseExactly', () => {
  it('preserves the spelling of every number', () => {
    const text = '{"a":12345678901234567890,"b":[1.0,-0,1e3],"c":"1.0"}';
    expect(JSON.stringify(parseExactly(text))).toBe(text);
  });
});

describe('preserveLongNumbers', () => {
  it('preserves the digits of integers beyond 2^53', () => {
    const text = '{"input":{"account":12345678901234567890},"n":1.5,"max_tokens":100}';
    const preserved = preserveLongNumbers(text, JSON.parse(text) as Record<string, unknown>);
    expect(JSON.stringify(preserved)).toBe(text);
    expect(preserved.max_tokens).toBe(100);
  });

  it('returns the same body if there are none', () => {
    const body = { n: 1 };
    expect(preserveLongNumbers('{"n":1}', body)).toBe(body);
  });
});
