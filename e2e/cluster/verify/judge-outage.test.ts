import { describe, expect, it } from '@jest/globals';
import { findOutageViolations } from './judge-outage.ts';

const refusal = {
  status: 503,
  text: JSON.stringify({ error: { message: 'm', type: 'server_error', code: 'unavailable' } }),
};

describe('findOutageViolations', () => {
  it('finds nothing if every call was refused by Witan', () => {
    expect(findOutageViolations([refusal, refusal])).toEqual([]);
  });

  it.each([
    ['a call that succeeded', { status: 200, text: '{}' }, '200 {}'],
    ['no response', { status: 0, text: 'fetch failed' }, '0 fetch failed'],
    ['the page of a proxy', { status: 503, text: '<html>' }, '503 <html>'],
    ['another error', { ...refusal, text: '{"error":{"code":"overloaded"}}' }, 'overloaded'],
    ['JSON that is not an error', { ...refusal, text: 'null' }, '503 null'],
  ])('finds %s', (_name, response, text) => {
    expect(findOutageViolations([refusal, response])).toEqual([expect.stringContaining(text)]);
  });

  it('finds that no call was made', () => {
    expect(findOutageViolations([])).toHaveLength(1);
  });
});
