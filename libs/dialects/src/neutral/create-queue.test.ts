import { describe, expect, it } from '@jest/globals';
import { createQueue } from './create-queue.ts';

describe('createQueue', () => {
  it('returns items in order, with any mix of push and shift', () => {
    const queue = createQueue<number>();
    const taken: (number | undefined)[] = [];
    for (let item = 0; item < 100; item += 1) {
      queue.push(item);
      if (item % 3 === 0) taken.push(queue.shift());
    }
    while (queue.first !== undefined) taken.push(queue.shift());
    expect(taken).toEqual(Array.from({ length: 100 }, (_, item) => item));
  });

  it('returns undefined if empty, and works afterwards', () => {
    const queue = createQueue<string>();
    expect([queue.first, queue.shift(), queue.shift()]).toEqual([undefined, undefined, undefined]);
    queue.push('a');
    expect([queue.first, queue.shift(), queue.first]).toEqual(['a', 'a', undefined]);
  });
});
