import { describe, expect, it } from '@jest/globals';
import { createSchemaQueue, QUEUED_MAX } from './schema-queue.ts';
import type { QueuedSchemaTask } from './schema-queue.ts';

const queuedTask = (workspaceId: string, schema = ''): QueuedSchemaTask => ({
  task: { schema },
  workspaceId,
  resolve: () => {},
  reject: () => {},
});

describe('createSchemaQueue', () => {
  const open = () => {
    const queue = createSchemaQueue();
    const add = (...names: string[]): QueuedSchemaTask[] =>
      names.map((name) => {
        const one = queuedTask(name[0]!, name);
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

  it('serves workspaces round-robin and the tasks of one workspace in order', () => {
    const { add, takeNames } = open();
    add('a1', 'a2', 'a3', 'b1', 'b2', 'c1');
    expect(takeNames()).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    expect(takeNames()).toEqual([]);
  });

  it('does not serve a returning workspace twice while others wait', () => {
    const { queue, add } = open();
    add('a1');
    expect(queue.take()!.task.schema).toBe('a1');
    add('a2', 'b1');
    expect(queue.take()!.task.schema).toBe('b1');
    expect(queue.take()!.task.schema).toBe('a2');
  });

  it('removes a task without changing the order of workspaces', () => {
    const { queue, add, takeNames } = open();
    const [first] = add('a1', 'a2', 'b1');
    queue.remove(first!);
    queue.remove(first!);
    expect(takeNames()).toEqual(['a2', 'b1']);
    const [onlyTask] = add('c1');
    queue.remove(onlyTask!);
    expect(takeNames()).toEqual([]);
  });

  it('limits the tasks of each workspace separately', () => {
    const { queue, add } = open();
    add(...Array.from({ length: QUEUED_MAX }, () => 'a'));
    expect(() => add('a')).toThrow(expect.objectContaining({ reason: 'UNAVAILABLE' }));
    add('b');
    expect(queue.takeAll()).toHaveLength(QUEUED_MAX + 1);
    add('a');
  });
});
