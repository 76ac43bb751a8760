import { describe, expect, it } from '@jest/globals';
import { createSchemaQueue, QUEUED_MAX } from './schema-queue.ts';
import type { QueuedSchemaTask } from './schema-queue.ts';

const waitingOf = (workspaceId: string, schema = ''): QueuedSchemaTask => ({
  task: { schema },
  workspaceId,
  resolve: () => {},
  reject: () => {},
});

describe('the queue of schemas', () => {
  const open = () => {
    const queue = createSchemaQueue();
    const add = (...names: string[]): QueuedSchemaTask[] =>
      names.map((name) => {
        const one = waitingOf(name[0]!, name);
        queue.add(one);
        return one;
      });
    const takeNames = (): string[] => {
      const names: string[] = [];
      for (let one = queue.take(); one; one = queue.take()) names.push(one.task.schema);
      return names;
    };
    return { queue, add, takeNames };
  };

  it('gives each workspace its turn, and keeps the order of its own', () => {
    const { add, takeNames } = open();
    add('a1', 'a2', 'a3', 'b1', 'b2', 'c1');
    expect(takeNames()).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    expect(takeNames()).toEqual([]);
  });

  it('serves nobody twice who comes back at once while others wait', () => {
    const { queue, add } = open();
    add('a1');
    expect(queue.take()!.task.schema).toBe('a1');
    add('a2', 'b1');
    expect(queue.take()!.task.schema).toBe('b1');
    expect(queue.take()!.task.schema).toBe('a2');
  });

  it('passes over who left, and holds their place', () => {
    const { queue, add, takeNames } = open();
    const [first] = add('a1', 'a2', 'b1');
    queue.remove(first!);
    queue.remove(first!);
    expect(takeNames()).toEqual(['a2', 'b1']);
    const [alone] = add('c1');
    queue.remove(alone!);
    expect(takeNames()).toEqual([]);
  });

  it('takes so many of a workspace, and goes on taking those of others', () => {
    const { queue, add } = open();
    add(...Array.from({ length: QUEUED_MAX }, () => 'a'));
    expect(() => add('a')).toThrow(expect.objectContaining({ reason: 'UNAVAILABLE' }));
    add('b');
    expect(queue.takeAll()).toHaveLength(QUEUED_MAX + 1);
    add('a');
  });
});
