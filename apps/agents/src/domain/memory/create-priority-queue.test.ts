import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createPriorityQueue } from './create-priority-queue.ts';

it('gives the best of what it holds, whatever came and went before', () => {
  const step = fc.option(fc.integer({ min: -9, max: 9 }), { freq: 2 });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const queue = createPriorityQueue<number>((one, other) => other - one);
      const held: number[] = [];
      const [popped, expected]: (number | undefined)[][] = [[], []];
      for (const entry of steps) {
        if (entry === null) {
          held.sort((one, other) => one - other);
          popped!.push(queue.pop());
          expected!.push(held.pop());
        } else {
          queue.push(entry);
          held.push(entry);
        }
      }
      expect(popped).toEqual(expected);
    }),
  );
});
