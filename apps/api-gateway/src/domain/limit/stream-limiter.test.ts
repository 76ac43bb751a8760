import { describe, expect, it } from '@jest/globals';
import { createStreamLimiter } from './stream-limiter.ts';

describe('the stream limiter', () => {
  it('lets as many run at once as it may, and one more for each that ends', () => {
    const take = createStreamLimiter(2);
    const first = take('a');
    expect(take('a')).toBeDefined();
    expect(take('a')).toBeUndefined();
    first!();
    expect(take('a')).toBeDefined();
    expect(take('a')).toBeUndefined();
  });

  it('counts an end once, however often it is told of it', () => {
    const take = createStreamLimiter(2);
    const first = take('a');
    take('a');
    first!();
    first!();
    expect(take('a')).toBeDefined();
    expect(take('a')).toBeUndefined();
  });

  it('keeps keys apart', () => {
    const take = createStreamLimiter(1);
    const first = take('a');
    expect(take('b')).toBeDefined();
    first!();
    expect(take('b')).toBeUndefined();
    expect(take('a')).toBeDefined();
  });
});
