import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { genesisHash } from '@witan/proof';
import { newId } from '@witan/service-kit';
import { Client } from 'pg';
import { appendOf, certifyOne, makeDraft, reserveOf } from './drafts.ts';
import { ISSUER, openLedger, openLedgerFixture } from './open-ledger.ts';
import type { LedgerFixture, TestLedger } from './open-ledger.ts';
import { exportChain, verifyExport } from './read-chain.ts';

const MONTH_MS = 30 * 86_400_000;
/** Certificates of a test are issued within this time. */
const TEST_MS = 300_000;

const realNow = Date.now;

/** Sets the clock of this process, but not that of the database. */
const setClock = (aheadMs: number): void => {
  jest.spyOn(Date, 'now').mockImplementation(() => realNow() + aheadMs);
};

describe('a clock of the ledger that is wrong', () => {
  let fixture: LedgerFixture;
  let running: TestLedger[];
  beforeEach(async () => {
    fixture = await openLedgerFixture();
    running = [];
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    for (const ledger of running) await ledger[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });
  const open = async (signingKeyFile: string): Promise<TestLedger> => {
    const ledger = await openLedger(fixture, { signingKeyFile });
    running.push(ledger);
    return ledger;
  };
  const readinessOf = async ({ service }: TestLedger): Promise<unknown> =>
    (await fetch(`${service.adminUrl}/readyz`)).json();
  const issuedAt = ({ payload }: { payload: string }): number =>
    Date.parse((JSON.parse(payload) as { issuedAt: string }).issuedAt);
  const query = async (sql: string, values: unknown[]): Promise<void> => {
    const admin = new Client({ connectionString: fixture.database.adminUrl });
    await admin.connect();
    try {
      await admin.query(sql, values);
    } finally {
      await admin.end();
    }
  };

  it.each([MONTH_MS, -MONTH_MS])(
    'set by %s ms: it signs nothing, is not ready, and dates no later certificate',
    async (aheadMs) => {
      const workspaceId = newId('ws');
      const ledger = await open(await fixture.newKeyFile());
      await certifyOne(ledger.writer, workspaceId);
      const draft = makeDraft();
      await ledger.writer.write(reserveOf(workspaceId, draft));
      setClock(aheadMs);
      for (const write of [appendOf(workspaceId, draft), reserveOf(workspaceId, makeDraft())]) {
        await expect(ledger.writer.write(write)).rejects.toMatchObject({
          reason: 'LEDGER_UNAVAILABLE',
          message: expect.stringContaining('clocks of the ledger and its database differ'),
        });
      }
      expect(await readinessOf(ledger)).toMatchObject({
        ready: false,
        checks: { clock: 'failing', database: 'ok' },
      });
      jest.restoreAllMocks();
      const certificate = await ledger.writer.write(appendOf(workspaceId, draft));
      expect(Math.abs(issuedAt(certificate!) - realNow())).toBeLessThan(TEST_MS);
      expect(await readinessOf(ledger)).toMatchObject({ ready: true, checks: { clock: 'ok' } });
      expect(verifyExport(await exportChain(ledger.certificates, workspaceId)).count).toBe(2);
    },
  );

  it('puts no key in force', async () => {
    const keyFile = await fixture.newKeyFile();
    await open(keyFile);
    setClock(MONTH_MS);
    await expect(open(await fixture.newKeyFile())).rejects.toThrow('clocks of the ledger');
    // With the key in force, certificates can still be read.
    expect(await readinessOf(await open(keyFile))).toMatchObject({ ready: false });
  });

  it('has dated a chain ahead: a rotation dates no other chain ahead, and all verify', async () => {
    const [ahead, other] = [newId('ws'), newId('ws')];
    const before = await open(await fixture.newKeyFile());
    // Both clocks were wrong, so nothing could notice it.
    await query(
      `INSERT INTO ledger.chain_head (workspace_id, chain_index, hash, issued_at)
       VALUES ($1, -1, $2, now() + interval '30 days')`,
      [ahead, genesisHash(ISSUER, ahead)],
    );
    const late = await certifyOne(before.writer, ahead);
    expect(issuedAt(late) - realNow()).toBeGreaterThan(MONTH_MS / 2);
    const after = await open(await fixture.newKeyFile());
    const late2 = await certifyOne(after.writer, ahead);
    expect(issuedAt(late2)).toBe(issuedAt(late));
    const certificate = await certifyOne(after.writer, other);
    expect(Math.abs(issuedAt(certificate) - realNow())).toBeLessThan(TEST_MS);
    for (const workspaceId of [ahead, other]) {
      const { count } = verifyExport(await exportChain(after.certificates, workspaceId));
      expect(count).toBe(workspaceId === ahead ? 2 : 1);
    }
  });
});
