import { describe, expect, it } from '@jest/globals';
import { createPermits } from './create-permits.ts';

describe('permits', () => {
  it('are limited per key and can be reused after a release', () => {
    const take = createPermits(2);
    const first = take('a');
    expect(take('a')).toBeDefined();
    expect(take('a')).toBeUndefined();
    first!();
    expect(take('a')).toBeDefined();
    expect(take('a')).toBeUndefined();
  });

  it('are released only once', () => {
    const take = createPermits(2);
    const first = take('a');
    take('a');
    first!();
    first!();
    expect(take('a')).toBeDefined();
    expect(take('a')).toBeUndefined();
  });

  it('are counted per key', () => {
    const take = createPermits(1);
    const first = take('a');
    expect(take('b')).toBeDefined();
    first!();
    expect(take('b')).toBeUndefined();
    expect(take('a')).toBeDefined();
  });
});
