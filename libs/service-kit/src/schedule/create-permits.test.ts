import { describe, expect, it } from '@jest/globals';
import { createPermits } from './create-permits.ts';

describe('permits', () => {
  it('are as many as were set, and one more for each that is released', () => {
    const take = createPermits(2);
    const first = take('a');
    expect(take('a')).toBeDefined();
    expect(take('a')).toBeUndefined();
    first!();
    expect(take('a')).toBeDefined();
    expect(take('a')).toBeUndefined();
  });

  it('are released once, however often that is asked for', () => {
    const take = createPermits(2);
    const first = take('a');
    take('a');
    first!();
    first!();
    expect(take('a')).toBeDefined();
    expect(take('a')).toBeUndefined();
  });

  it('of one key are not those of another', () => {
    const take = createPermits(1);
    const first = take('a');
    expect(take('b')).toBeDefined();
    first!();
    expect(take('b')).toBeUndefined();
    expect(take('a')).toBeDefined();
  });
});
