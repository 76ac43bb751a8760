import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createPriorityQueue } from './pick-diverse.ts';

it('a priority queue pops the best entry after any sequence of operations', () => {
  const step = fc.option(fc.integer({ min: -9, max: 9 }), { freq: 2 });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const queue = createPriorityQueue<number>((one, other) => other - one);
      const entries: number[] = [];
      const [popped, expected]: (number | undefined)[][] = [[], []];
      for (const entry of steps) {
        if (entry === null) {
          entries.sort((one, other) => one - other);
          popped!.push(queue.pop());
          expected!.push(entries.pop());
        } else {
          queue.push(entry);
          entries.push(entry);
        }
      }
      expect(popped).toEqual(expected);
    }),
  );
});
