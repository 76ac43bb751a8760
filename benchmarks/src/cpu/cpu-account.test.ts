import { describe, expect, it } from '@jest/globals';
import { parseProcessStat, readThreadSeconds, sumTrees } from './cpu-account.ts';

const stat = (pid: number, parentPid: number, ownSeconds: number, endedChildrenSeconds = 0) =>
  [pid, { pid, parentPid, ownSeconds, endedChildrenSeconds }] as const;

const noThreads = (): number => 0;

describe('sumTrees', () => {
  it('counts every process once, for its nearest named ancestor', () => {
    const table = new Map([
      stat(1, 0, 1000),
      stat(10, 1, 1),
      // The database server is a child process of the system, but is counted under its own name.
      stat(20, 10, 2, 64),
      stat(21, 20, 4),
      stat(11, 10, 8, 16),
      stat(12, 11, 32),
    ]);

    const sums = sumTrees(table, { witan: 10, postgres: 20 }, noThreads);

    expect(sums).toEqual({ witan: 1 + 8 + 16 + 32, postgres: 2 + 64 + 4 });
  });

  it('counts the threads, unless threads that have ended used more', () => {
    const table = new Map([stat(10, 1, 0.5), stat(11, 10, 4)]);
    const threadSecondsOf = (pid: number): number => (pid === 10 ? 0.501_234 : 1);

    expect(sumTrees(table, { witan: 10 }, threadSecondsOf)).toEqual({ witan: 4.501_234 });
  });

  it('refuses to measure a process that has ended', () => {
    const table = new Map([stat(1, 0, 0)]);

    expect(() => sumTrees(table, { witan: 7 }, noThreads)).toThrow('has ended');
  });
});

describe('readThreadSeconds', () => {
  it('sums the threads of a process, of which the main thread is one', () => {
    const main = readThreadSeconds(process.pid, process.pid);

    expect(main).toBeGreaterThan(0);
    expect(readThreadSeconds(process.pid)).toBeGreaterThan(main);
  });
});

describe('parseProcessStat', () => {
  it('reads times after a command name with spaces and brackets', () => {
    const text =
      '4242 (postgres: writer (a b) 1) S 77 4242 77 0 -1 4194560 900 5 0 0 150 50 700 25 20 0 1 0';

    expect(parseProcessStat(text)).toEqual({
      pid: 4242,
      parentPid: 77,
      ownSeconds: 2,
      endedChildrenSeconds: 7.25,
    });
  });

  it('throws on other text', () => {
    expect(() => parseProcessStat('cpu  1 2 3')).toThrow('not the text');
  });
});
