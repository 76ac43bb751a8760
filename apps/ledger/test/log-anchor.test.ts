import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import { backUpLog, insertLeaves, openTestLog } from './open-log.ts';
import type { TestLog } from './open-log.ts';
import { openLedgerFixture } from './open-ledger.ts';
import type { LedgerFixture } from './open-ledger.ts';

/** An anchor in memory, which can be full. */
const openAnchor = () => {
  const shown: { note: string | undefined; isFull: boolean } = { note: undefined, isFull: false };
  const anchor = {
    read: async () => shown.note,
    write: async (note: string) => {
      if (shown.isFull) throw new Error('ENOSPC');
      shown.note = note;
    },
  };
  return { shown, anchor };
};

const certify = (log: TestLog): Promise<void> =>
  insertLeaves(log.admin, newId('ws'), { from: 0, count: 1 });

const publishedSize = async ({ log }: TestLog): Promise<number> =>
  (await log.findPublished())?.size ?? 0;

describe('the anchor of a log without witnesses', () => {
  let fixture: LedgerFixture;
  let keyFile: string;
  let log: TestLog;
  const { shown, anchor } = openAnchor();

  beforeAll(async () => {
    fixture = await openLedgerFixture();
    keyFile = await fixture.newKeyFile();
    log = await openTestLog(fixture, { keyFile, anchor });
    await certify(log);
    await log.cycle();
  });
  afterAll(async () => {
    await log[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  it('is signed before the checkpoint is published, so a failed write publishes nothing', async () => {
    shown.isFull = true;
    await certify(log);
    await expect(log.cycle()).rejects.toThrow('ENOSPC');
    expect(await publishedSize(log)).toBe(1);
    shown.isFull = false;
    await log.cycle();
    expect(await publishedSize(log)).toBe(2);
    expect(shown.note).toBe((await log.log.findPublished())!.note);
  });

  it('lets a log go on after a change of its key, although the old one signed it', async () => {
    const newKeyFile = await fixture.newKeyFile();
    const after = await openTestLog(fixture, { keyFile: newKeyFile, anchor });
    await expect(after.log.check()).resolves.toBeUndefined();
    await after[Symbol.asyncDispose]();
  });

  it('stops an open log whose database is restored, and stays', async () => {
    const restore = await backUpLog(log.admin);
    await certify(log);
    await log.cycle();
    const { note } = shown;
    expect(note).toBe((await log.log.findPublished())!.note);
    await restore();
    expect(await publishedSize(log)).toBe(2);
    await certify(log);
    await expect(log.cycle()).rejects.toThrow('was signed with 3 epochs');
    await expect(log.log.check()).rejects.toThrow('was signed with');
    await expect(log.log.takeAnswers(1, [])).rejects.toThrow('was signed with');
    const { rows } = await log.admin.query('SELECT size, halted FROM ledger.log_state');
    expect(rows).toEqual([{ size: '2', halted: 'anchor_ahead' }]);
    expect(shown.note).toBe(note);
    expect(await publishedSize(log)).toBe(2);
  });
});
