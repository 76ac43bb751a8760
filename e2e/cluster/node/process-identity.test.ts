import process from 'node:process';
import { describe, expect, it } from '@jest/globals';
import { findRecorded, formatIdentity, readIdentity } from './process-identity.ts';

describe('findRecorded', () => {
  it('finds a process with the recorded start time', async () => {
    const own = (await readIdentity(process.pid))!;
    expect(Number(own.startTime)).toBeGreaterThan(Number((await readIdentity(1))!.startTime));
    expect(await findRecorded(formatIdentity(own))).toBe(process.pid);
  });

  it('ignores another process with the recorded id, and a record without a start time', async () => {
    const own = (await readIdentity(process.pid))!;
    const earlier = { ...own, startTime: String(Number(own.startTime) - 1) };
    expect(await findRecorded(formatIdentity(earlier))).toBeUndefined();
    expect(await findRecorded(String(process.pid))).toBeUndefined();
    expect(await findRecorded('')).toBeUndefined();
  });
});
