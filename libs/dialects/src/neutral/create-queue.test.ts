import { describe, expect, it } from '@jest/globals';
import { createQueue } from './create-queue.ts';

describe('createQueue', () => {
  it('gives items back in the order in which they came, whenever they are taken', () => {
    const queue = createQueue<number>();
    const taken: (number | undefined)[] = [];
    for (let item = 0; item < 100; item += 1) {
      queue.push(item);
      if (item % 3 === 0) taken.push(queue.shift());
    }
    while (queue.first !== undefined) taken.push(queue.shift());
    expect(taken).toEqual(Array.from({ length: 100 }, (_, item) => item));
  });

  it('has nothing to give when it is empty, and goes on after', () => {
    const queue = createQueue<string>();
    expect([queue.first, queue.shift(), queue.shift()]).toEqual([undefined, undefined, undefined]);
    queue.push('a');
    expect([queue.first, queue.shift(), queue.first]).toEqual(['a', 'a', undefined]);
  });
});
