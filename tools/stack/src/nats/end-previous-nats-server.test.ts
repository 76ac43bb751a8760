import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { findProcesses, matchPs } from './end-previous-nats-server.ts';

describe('findProcesses', () => {
  it('finds running processes with the adjacent arguments', async () => {
    const child = spawn(process.execPath, ['-', 'one', 'two three', 'four']);
    await once(child, 'spawn');
    await expect(findProcesses(['one', 'two three'])).resolves.toEqual([child.pid]);
    await expect(findProcesses(['one', 'two'])).resolves.toEqual([]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await expect(findProcesses(['one', 'two three'])).resolves.toEqual([]);
  });
});

describe('matchPs', () => {
  it.each([
    { name: 'at the end', line: '  17 nats-server -js -sd /home/a b/store', pids: [17] },
    { name: 'in the middle', line: '17 nats-server -sd /home/a b/store -js', pids: [17] },
    { name: 'not of a longer path', line: '17 nats-server -sd /home/a b/store2', pids: [] },
    { name: 'not of another option', line: '17 nats-server -c /home/a b/store', pids: [] },
  ])('finds arguments $name', ({ line, pids }) => {
    expect(matchPs(`    1 /sbin/init\n${line}\n`, ['-sd', '/home/a b/store'])).toEqual(pids);
  });
});
