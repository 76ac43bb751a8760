import { describe, expect, it } from '@jest/globals';
import { createPermits } from './create-permits.ts';

describe('permits', () => {
  it('are limited per key and can be reused after a release', () => {
    const acquire = createPermits(2);
    const first = acquire('a');
    expect(acquire('a')).toBeDefined();
    expect(acquire('a')).toBeUndefined();
    first!();
    expect(acquire('a')).toBeDefined();
    expect(acquire('a')).toBeUndefined();
  });

  it('are released only once', () => {
    const acquire = createPermits(2);
    const first = acquire('a');
    acquire('a');
    first!();
    first!();
    expect(acquire('a')).toBeDefined();
    expect(acquire('a')).toBeUndefined();
  });

  it('are counted per key', () => {
    const acquire = createPermits(1);
    const first = acquire('a');
    expect(acquire('b')).toBeDefined();
    first!();
    expect(acquire('b')).toBeUndefined();
    expect(acquire('a')).toBeDefined();
  });
});
