import { describe, expect, it } from '@jest/globals';
import { createFairQueue } from './fair-queue.ts';

describe('createFairQueue', () => {
  const open = () => {
    const queue = createFairQueue<string>();
    const add = (...items: string[]): void => {
      for (const item of items) queue.add(item[0]!, item);
    };
    const takeAll = (): string[] => {
      const taken: string[] = [];
      for (let item = queue.take(); item; item = queue.take()) taken.push(item);
      return taken;
    };
    return { queue, add, takeAll };
  };

  it('serves keys round robin and the items of one key in order', () => {
    const { add, takeAll } = open();
    add('a1', 'a2', 'a3', 'b1', 'b2', 'c1');
    expect(takeAll()).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    expect(takeAll()).toEqual([]);
  });

  it('does not serve a returning key twice while others wait', () => {
    const { queue, add } = open();
    add('a1');
    expect(queue.take()).toBe('a1');
    add('a2', 'b1');
    expect([queue.take(), queue.take()]).toEqual(['b1', 'a2']);
  });

  it('skips keys that are not eligible', () => {
    const { queue, add, takeAll } = open();
    add('a1', 'b1', 'b2');
    expect(queue.take((key) => key === 'b')).toBe('b1');
    expect(queue.take((key) => key === 'c')).toBeUndefined();
    expect(takeAll()).toEqual(['a1', 'b2']);
  });

  it('removes an item without changing the order of the others', () => {
    const { queue, add, takeAll } = open();
    add('a1', 'a2', 'b1');
    queue.remove('a', 'a1');
    queue.remove('a', 'a1');
    expect(queue.items()).toEqual(['a2', 'b1']);
    expect(queue.items('b')).toEqual(['b1']);
    expect(takeAll()).toEqual(['a2', 'b1']);
    expect(queue.size()).toBe(0);
  });

  it('puts an item first, and takes the first eligible item of a key', () => {
    const { queue, add } = open();
    add('a1', 'a2', 'b1');
    queue.addFirst('a', 'a0');
    expect(queue.items('a')).toEqual(['a0', 'a1', 'a2']);
    expect(queue.take((_key, item) => item !== 'a0' && item !== 'b1')).toBe('a1');
    expect([queue.take(), queue.take()]).toEqual(['b1', 'a0']);
  });
});
