import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CertificateDraft, Entry } from '@witan/contracts';
import { newId } from '@witan/service-kit';
import { eventually } from '@witan/testing';
import { Client } from 'pg';
import { appendOf, makeDraft, releaseOf, reserveOf } from './drafts.ts';
import { optionsFor, openLedger, openLedgerFixture } from './open-ledger.ts';
import type { LedgerFixture, TestLedger } from './open-ledger.ts';
import { toProof } from './read-chain.ts';

const OPENING_CREDIT = 1_000;
const IMMEDIATE_EXPIRY_MS = 1;

const draftOf = (totalTokens: number, proofId?: string): CertificateDraft => {
  const usage = { promptTokens: totalTokens, completionTokens: 0, totalTokens };
  return makeDraft(proofId, {
    answer: { sha256: 'ab'.repeat(32), finishReason: 'stop', usage },
  });
};

describe('metered calls', () => {
  let fixture: LedgerFixture;
  let signingKeyFile: string;
  let ledger: TestLedger;
  let admin: Client;
  beforeAll(async () => {
    fixture = await openLedgerFixture();
    signingKeyFile = await fixture.newKeyFile();
    ledger = await openLedger(fixture, {
      signingKeyFile,
      isMetered: true,
      openingCredit: OPENING_CREDIT,
    });
    admin = new Client({ connectionString: fixture.database.adminUrl });
    await admin.connect();
  });
  afterAll(async () => {
    await admin.end();
    await ledger[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  const hold = (
    workspaceId: string,
    draft: CertificateDraft,
    amount: number,
    { minimum = 1, expiresInMs = 60_000 } = {},
  ): Promise<bigint | undefined> =>
    ledger.writer.hold(
      reserveOf(workspaceId, draft, expiresInMs, {
        amount: BigInt(amount),
        minimum: BigInt(minimum),
      }),
    );
  const holdUnsent = (workspaceId: string, { proofId }: CertificateDraft, amount: number) =>
    ledger.writer.hold({
      workspaceId,
      action: {
        case: 'reserve',
        value: { proofId, amount: BigInt(amount), minimum: 1n, expiresInMs: IMMEDIATE_EXPIRY_MS },
      },
    });
  const append = (workspaceId: string, draft: CertificateDraft) =>
    ledger.writer.write(appendOf(workspaceId, draft));
  const release = (workspaceId: string, { proofId }: CertificateDraft) =>
    ledger.writer.write(releaseOf(workspaceId, proofId));
  const balanceOf = async (workspaceId: string): Promise<[bigint, bigint]> => {
    const { balance } = await ledger.accounts.getBalance({}, optionsFor(workspaceId));
    return [balance!.posted, balance!.held];
  };
  const entriesOf = async (workspaceId: string): Promise<Entry[]> =>
    (await ledger.accounts.listEntries({ limit: 100 }, optionsFor(workspaceId))).entries;
  const linesOf = async (workspaceId: string) =>
    (await entriesOf(workspaceId)).map(({ kind, amount }) => [kind, amount]);
  const reservationOf = async ({ proofId }: CertificateDraft) => {
    const { rows } = await admin.query<{
      state: string;
      sent: boolean;
      actual: string | null;
      unpaid: string | null;
    }>(
      `SELECT state, intent IS NOT NULL AS sent, actual, unpaid FROM ledger.reservation
       WHERE id = $1`,
      [proofId],
    );
    return rows[0]!;
  };
  const sweep = async (draft: CertificateDraft): Promise<void> => {
    const options = { signingKeyFile, isMetered: true, sweepIntervalMs: 100 };
    await using firstLedger = await openLedger(fixture, options);
    await using secondLedger = await openLedger(fixture, options);
    expect(firstLedger.service).not.toBe(secondLedger.service);
    await eventually(async () => (await reservationOf(draft)).state !== 'held' || undefined);
  };

  it('open their account with the opening credit', async () => {
    const workspaceId = newId('ws');
    expect(await hold(workspaceId, draftOf(1), 300)).toBe(300n);
    expect(await balanceOf(workspaceId)).toEqual([1_000n, 300n]);
    expect(await linesOf(workspaceId)).toEqual([['credit', 1_000n]]);
  });

  it('are charged for their usage, and the rest is released', async () => {
    const [workspaceId, draft] = [newId('ws'), draftOf(120)];
    await hold(workspaceId, draft, 300);
    await append(workspaceId, draft);
    expect(await balanceOf(workspaceId)).toEqual([880n, 0n]);
    expect(await entriesOf(workspaceId)).toMatchObject([
      { kind: 'usage', amount: 120n, certificateId: draft.proofId },
      { kind: 'credit', amount: 1_000n },
    ]);
    expect(await reservationOf(draft)).toMatchObject({ actual: '120', unpaid: '0' });
  });

  it('are charged once, however often they are appended', async () => {
    const [workspaceId, draft] = [newId('ws'), draftOf(120)];
    await hold(workspaceId, draft, 300);
    await Promise.all(Array.from({ length: 10 }, () => append(workspaceId, draft)));
    await append(workspaceId, draftOf(200, draft.proofId));
    expect(await balanceOf(workspaceId)).toEqual([880n, 0n]);
    expect(await linesOf(workspaceId)).toHaveLength(2);
  });

  it('add no entry without usage', async () => {
    const [workspaceId, draft] = [newId('ws'), draftOf(0)];
    await hold(workspaceId, draft, 300);
    await append(workspaceId, draft);
    expect(await balanceOf(workspaceId)).toEqual([1_000n, 0n]);
    expect(await linesOf(workspaceId)).toEqual([['credit', 1_000n]]);
    expect(await reservationOf(draft)).toMatchObject({ state: 'settled', actual: '0' });
  });

  it('release their tokens once', async () => {
    const [workspaceId, draft, other] = [newId('ws'), draftOf(1), draftOf(1)];
    await hold(workspaceId, draft, 300);
    await hold(workspaceId, other, 300);
    await Promise.all(Array.from({ length: 5 }, () => release(workspaceId, draft)));
    expect(await balanceOf(workspaceId)).toEqual([1_000n, 300n]);
    await expect(append(workspaceId, draft)).rejects.toMatchObject({ reason: 'CONFLICT' });
    expect(await linesOf(workspaceId)).toEqual([['credit', 1_000n]]);
  });

  it('are refused with INSUFFICIENT_QUOTA if the balance is below their minimum', async () => {
    const [workspaceId, draft] = [newId('ws'), draftOf(1)];
    const refused = hold(workspaceId, draft, 5_000, { minimum: 1_001 });
    await expect(refused).rejects.toMatchObject({ reason: 'INSUFFICIENT_QUOTA' });
    expect(await balanceOf(workspaceId)).toEqual([1_000n, 0n]);
    expect(await reservationOf(draft)).toBeUndefined();
    await ledger.accounts.credit({ entryId: newId('ent'), amount: 1n }, optionsFor(workspaceId));
    expect(await hold(workspaceId, draft, 5_000, { minimum: 1_001 })).toBe(1_001n);
  });

  it('are refused with balance_held if calls in flight hold the balance', async () => {
    const [workspaceId, first, second] = [newId('ws'), draftOf(1), draftOf(1)];
    await hold(workspaceId, first, 900);
    const refused = hold(workspaceId, second, 300, { minimum: 101 });
    await expect(refused).rejects.toMatchObject({
      reason: 'RATE_LIMITED',
      fields: { code: 'balance_held', retryAfter: '1' },
    });
    await append(workspaceId, first);
    expect(await hold(workspaceId, second, 300, { minimum: 101 })).toBe(300n);
  });

  it('hold the remaining balance, and store their intent when reserved again for that amount', async () => {
    const [workspaceId, first, draft] = [newId('ws'), draftOf(1), draftOf(40)];
    await hold(workspaceId, first, 900);
    expect(await hold(workspaceId, draft, 300)).toBe(100n);
    expect(await reservationOf(draft)).toMatchObject({ state: 'held', sent: false });
    expect(await hold(workspaceId, draft, 101)).toBe(100n);
    expect(await reservationOf(draft)).toMatchObject({ sent: false });
    expect(await hold(workspaceId, draft, 100, { minimum: 100 })).toBe(100n);
    expect(await reservationOf(draft)).toMatchObject({ sent: true });
    // The proof id is in use now, so another reserve holds no more tokens, although more are free.
    await release(workspaceId, first);
    const repeatedHold = hold(workspaceId, draft, 100, { minimum: 100 });
    await expect(repeatedHold).rejects.toMatchObject({ fields: { code: 'proof_id_open' } });
    expect(await balanceOf(workspaceId)).toEqual([1_000n, 100n]);
    await append(workspaceId, draft);
    expect(await balanceOf(workspaceId)).toEqual([960n, 0n]);
  });

  it('pay an overrun from the free balance; the rest stays unpaid', async () => {
    const [workspaceId, draft, other] = [newId('ws'), draftOf(500), draftOf(1)];
    await hold(workspaceId, draft, 300);
    await hold(workspaceId, other, 550);
    await append(workspaceId, draft);
    expect(await balanceOf(workspaceId)).toEqual([550n, 550n]);
    expect((await linesOf(workspaceId)).slice(0, 2)).toEqual([
      ['overrun', 150n],
      ['usage', 300n],
    ]);
    expect(await reservationOf(draft)).toMatchObject({ actual: '450', unpaid: '50' });
    await append(workspaceId, draftOf(550, other.proofId));
    expect(await balanceOf(workspaceId)).toEqual([0n, 0n]);
    const refused = hold(workspaceId, draftOf(1), 1);
    await expect(refused).rejects.toMatchObject({ reason: 'INSUFFICIENT_QUOTA' });
  });

  describe('that expired', () => {
    it('are charged once by their estimate, and not again by a late append', async () => {
      const [workspaceId, draft] = [newId('ws'), draftOf(200)];
      await hold(workspaceId, draft, 300, { expiresInMs: IMMEDIATE_EXPIRY_MS });
      await sweep(draft);
      expect(await balanceOf(workspaceId)).toEqual([800n, 0n]);
      const lateWrite = await append(workspaceId, draftOf(77, draft.proofId));
      expect(toProof(lateWrite!).payload).toMatchObject({
        response: { finishReason: 'lost', usage: { totalTokens: 200 } },
      });
      await release(workspaceId, draft);
      expect(await balanceOf(workspaceId)).toEqual([800n, 0n]);
      expect(await linesOf(workspaceId)).toHaveLength(2);
    });

    it('are released if nothing was sent', async () => {
      const [workspaceId, draft] = [newId('ws'), draftOf(200)];
      expect(await holdUnsent(workspaceId, draft, 300)).toBe(300n);
      await sweep(draft);
      expect(await reservationOf(draft)).toMatchObject({ state: 'released', actual: null });
      expect(await balanceOf(workspaceId)).toEqual([1_000n, 0n]);
      const lateWrite = hold(workspaceId, draft, 300);
      await expect(lateWrite).rejects.toMatchObject({ reason: 'CONFLICT' });
      expect(await balanceOf(workspaceId)).toEqual([1_000n, 0n]);
    });

    it('are released if they held less than requested and were not reserved again', async () => {
      const [workspaceId, first, draft] = [newId('ws'), draftOf(1), draftOf(200)];
      await hold(workspaceId, first, 900);
      await hold(workspaceId, draft, 300, { expiresInMs: IMMEDIATE_EXPIRY_MS });
      await sweep(draft);
      expect(await reservationOf(draft)).toMatchObject({ state: 'released', actual: null });
      expect(await balanceOf(workspaceId)).toEqual([1_000n, 900n]);
    });
  });

  describe('on unmetered replicas', () => {
    let unmetered: TestLedger;
    beforeAll(async () => {
      unmetered = await openLedger(fixture, { signingKeyFile, openingCredit: OPENING_CREDIT });
    });
    afterAll(async () => {
      await unmetered[Symbol.asyncDispose]();
    });

    it('record usage paid by the licence and do not change the balance', async () => {
      const [workspaceId, draft] = [newId('ws'), draftOf(5_000)];
      const terms = { amount: 9_000n, minimum: 8_000n };
      const reserve = reserveOf(workspaceId, draft, undefined, terms);
      expect(await unmetered.writer.hold(reserve)).toBeUndefined();
      await unmetered.writer.write(appendOf(workspaceId, draft));
      const [, usage] = await entriesOf(workspaceId);
      expect(usage).toMatchObject({
        kind: 'usage',
        amount: 5_000n,
        certificateId: draft.proofId,
      });
      const { rows } = await admin.query(
        'SELECT source, target FROM ledger.entry WHERE certificate_id = $1',
        [draft.proofId],
      );
      expect(rows).toEqual([{ source: 'licence', target: 'usage' }]);
      expect(await balanceOf(workspaceId)).toEqual([1_000n, 0n]);
    });

    it('settle and release tokens held before metering was switched off', async () => {
      const [workspaceId, used, left] = [newId('ws'), draftOf(100), draftOf(1)];
      await hold(workspaceId, used, 300);
      await hold(workspaceId, left, 300);
      await unmetered.writer.write(appendOf(workspaceId, used));
      await unmetered.writer.write(releaseOf(workspaceId, left.proofId));
      expect(await balanceOf(workspaceId)).toEqual([900n, 0n]);
    });

    it('charge nothing for calls that began before metering was switched on', async () => {
      const [workspaceId, meteredDraft, olderDraft] = [newId('ws'), draftOf(100), draftOf(100)];
      await unmetered.writer.write(reserveOf(workspaceId, meteredDraft));
      // Inserts a reservation without tokens, as a ledger without metering does.
      await admin.query(
        `INSERT INTO ledger.reservation
           (id, workspace_id, amount, state, intent, expires_at, sent_at)
         VALUES ($1, $2, 0, 'held', NULL, now() + interval '1 hour', NULL)`,
        [olderDraft.proofId, workspaceId],
      );
      await Promise.all([append(workspaceId, meteredDraft), append(workspaceId, olderDraft)]);
      expect(await balanceOf(workspaceId)).toEqual([1_000n, 0n]);
      expect(await reservationOf(olderDraft)).toMatchObject({ actual: '100', unpaid: '0' });
    });
  });
});
