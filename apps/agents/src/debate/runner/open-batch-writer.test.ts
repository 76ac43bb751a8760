import { describe, expect, it } from '@jest/globals';
import type { DebateStep } from '../record/debate-store.ts';
import { openBatchWriter } from './open-batch-writer.ts';

const step = (roundNumber: number): DebateStep => ({ kind: 'round-started', roundNumber });

const open = () => {
  const writes: { rounds: number[]; end: (error?: Error) => void }[] = [];
  const writer = openBatchWriter((steps) => {
    const rounds = steps.map((one) => ('roundNumber' in one ? one.roundNumber : 0));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    writes.push({ rounds, end: (error) => (error ? reject(error) : resolve()) });
    return promise;
  });
  return { writer, writes, rounds: () => writes.map((write) => write.rounds) };
};

const nextMacrotask = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('openBatchWriter', () => {
  it('writes steps of one tick together, and those that arrive during a write in the next', async () => {
    const { writer, writes, rounds } = open();
    const first = Promise.all([
      writer.write(step(1)),
      Promise.resolve().then(() => writer.write(step(2))),
    ]);
    await nextMacrotask();
    expect(rounds()).toEqual([[1, 2]]);
    const later = [writer.write(step(3), step(4)), writer.write(step(5))];
    await nextMacrotask();
    expect(rounds()).toEqual([[1, 2]]);
    writes[0]!.end();
    await first;
    expect(rounds()).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
    writes[1]!.end();
    await Promise.all(later);
    expect(rounds()).toHaveLength(2);
  });

  it('rejects all writes after a failed one', async () => {
    const { writer, writes, rounds } = open();
    const failed = writer.write(step(1));
    await nextMacrotask();
    const queuedWrite = writer.write(step(2));
    writes[0]!.end(new Error('gone'));
    await expect(failed).rejects.toThrow('gone');
    await expect(queuedWrite).rejects.toThrow('gone');
    await expect(writer.write(step(3))).rejects.toThrow('gone');
    expect(rounds()).toEqual([[1]]);
  });
});
