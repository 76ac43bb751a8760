import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Entry } from '@witan/contracts';
import { newId } from '@witan/service-kit';
import { eventually } from '@witan/testing';
import { Client } from 'pg';
import { appendOf, makeDraft, reserveOf } from './drafts.ts';
import { optionsFor, openLedger, openLedgerFixture } from './open-ledger.ts';
import type { LedgerFixture, TestLedger } from './open-ledger.ts';

const OPENING_CREDIT = 1_000;
const BALANCE_MAX = BigInt(Number.MAX_SAFE_INTEGER);
const CREDIT_MAX = 10n ** 15n;

describe('the token accounts', () => {
  let fixture: LedgerFixture;
  let ledgers: TestLedger[];
  let admin: Client;
  beforeAll(async () => {
    fixture = await openLedgerFixture();
    const options = {
      signingKeyFile: await fixture.newKeyFile(),
      isMetered: true,
      openingCredit: OPENING_CREDIT,
    };
    ledgers = [await openLedger(fixture, options), await openLedger(fixture, options)];
    admin = new Client({ connectionString: fixture.database.adminUrl });
    await admin.connect();
  });
  afterAll(async () => {
    await admin.end();
    for (const ledger of ledgers) await ledger[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  const credit = (workspaceId: string, amount: bigint, entryId = newId('ent')) =>
    ledgers[0]!.accounts.credit({ entryId, amount, reason: 'a test' }, optionsFor(workspaceId));
  const balanceOf = async (workspaceId: string) =>
    (await ledgers[1]!.accounts.getBalance({}, optionsFor(workspaceId))).balance!;
  const pageOf = (workspaceId: string, limit: number, cursor = '') =>
    ledgers[1]!.accounts.listEntries({ limit, cursor }, optionsFor(workspaceId));
  const entriesOf = async (workspaceId: string): Promise<Entry[]> =>
    (await pageOf(workspaceId, 500)).entries;
  const toError = (reason: string) => ({ reason });

  describe('on first use', () => {
    it('open once, with one opening credit, under many concurrent first reads', async () => {
      const workspaceId = newId('ws');
      const reads = Array.from({ length: 16 }, (_, n) =>
        ledgers[n % 2]!.accounts.getBalance({}, optionsFor(workspaceId)),
      );
      for (const { balance } of await Promise.all(reads)) {
        expect(balance).toMatchObject({ posted: 1_000n, held: 0n, metered: true });
      }
      expect(await entriesOf(workspaceId)).toMatchObject([{ kind: 'credit', amount: 1_000n }]);
    });

    it('open once, under a concurrent first read, credits and reserves', async () => {
      const workspaceId = newId('ws');
      await Promise.all([
        ...ledgers.map(({ accounts }) => accounts.getBalance({}, optionsFor(workspaceId))),
        ...ledgers.map(({ writer }) =>
          writer.hold(reserveOf(workspaceId, makeDraft(), undefined, { amount: 5n, minimum: 5n })),
        ),
        credit(workspaceId, 7n),
      ]);
      expect(await balanceOf(workspaceId)).toMatchObject({ posted: 1_007n, held: 10n });
      expect(await entriesOf(workspaceId)).toHaveLength(2);
    });

    it('open independently of the ids of credits and workspaces', async () => {
      const word = newId('ws').slice('ws_'.length);
      await credit(newId('ws'), 5n, `ent_${word}`);
      for (const workspaceId of [`ws_${word}`, word]) {
        expect(await balanceOf(workspaceId)).toMatchObject({ posted: 1_000n });
      }
    });

    it('open empty without an opening credit', async () => {
      await using other = await openLedgerFixture();
      await using ledger = await openLedger(other, {
        signingKeyFile: await other.newKeyFile(),
      });
      const workspaceId = newId('ws');
      const { balance } = await ledger.accounts.getBalance({}, optionsFor(workspaceId));
      expect(balance).toMatchObject({ posted: 0n, held: 0n, metered: false });
      const { entries } = await ledger.accounts.listEntries({ limit: 1 }, optionsFor(workspaceId));
      expect(entries).toEqual([]);
    });
  });

  describe('on a credit', () => {
    it('return its entry and the new balance', async () => {
      const [workspaceId, entryId] = [newId('ws'), newId('ent')];
      const { entry, balance } = await credit(workspaceId, 250n, entryId);
      expect(entry).toMatchObject({ id: entryId, kind: 'credit', amount: 250n, certificateId: '' });
      expect(balance).toMatchObject({ posted: 1_250n, held: 0n, metered: true });
      expect((await entriesOf(workspaceId))[0]).toEqual(entry);
    });

    it('record it once, even if it is repeated on any replica', async () => {
      const [workspaceId, entryId] = [newId('ws'), newId('ent')];
      const answers = await Promise.all(
        Array.from({ length: 16 }, (_, n) =>
          ledgers[n % 2]!.accounts.credit({ entryId, amount: 40n }, optionsFor(workspaceId)),
        ),
      );
      expect(new Set(answers.map(({ entry }) => entry!.createdAt!.nanos)).size).toBe(1);
      expect(answers.every(({ balance }) => balance!.posted === 1_040n)).toBe(true);
      expect(await entriesOf(workspaceId)).toHaveLength(2);
    });

    it('refuse its id with another amount or in another workspace', async () => {
      const [owner, stranger, entryId] = [newId('ws'), newId('ws'), newId('ent')];
      await credit(owner, 40n, entryId);
      await expect(credit(owner, 41n, entryId)).rejects.toMatchObject(toError('CONFLICT'));
      await expect(credit(stranger, 40n, entryId)).rejects.toMatchObject(toError('CONFLICT'));
      expect(await balanceOf(owner)).toMatchObject({ posted: 1_040n });
      expect(await balanceOf(stranger)).toMatchObject({ posted: 1_000n });
    });

    it('accept up to the safe integers, and refuse all of a credit beyond', async () => {
      const workspaceId = newId('ws');
      for (let n = 0; n < 9; n += 1) await credit(workspaceId, CREDIT_MAX);
      const rest = BALANCE_MAX - 9n * CREDIT_MAX - BigInt(OPENING_CREDIT);
      const excessiveCredit = credit(workspaceId, rest + 1n);
      await expect(excessiveCredit).rejects.toMatchObject(toError('CONFLICT'));
      expect(await entriesOf(workspaceId)).toHaveLength(10);
      await credit(workspaceId, rest);
      expect(await balanceOf(workspaceId)).toMatchObject({ posted: BALANCE_MAX });
      await expect(credit(workspaceId, 1n)).rejects.toMatchObject(toError('CONFLICT'));
    });

    it.each([
      ['zero', { amount: 0n }],
      ['a negative amount', { amount: -1n }],
      ['more than the limit', { amount: CREDIT_MAX + 1n }],
      ['an empty id', { entryId: '' }],
      ['an id of another kind', { entryId: newId('pf') }],
      ["an opening credit's id", { entryId: 'ent_opening_ws_a' }],
      ['a reason that is too long', { reason: 'x'.repeat(501) }],
    ])('refuse it with %s', async (_name, values) => {
      const request = { entryId: newId('ent'), amount: 1n, ...values };
      const call = ledgers[0]!.accounts.credit(request, optionsFor(newId('ws')));
      await expect(call).rejects.toMatchObject(toError('INVALID_REQUEST'));
    });
  });

  describe('on a listing', () => {
    it('return entries of every kind, newest first', async () => {
      const workspaceId = newId('ws');
      const { writer } = ledgers[0]!;
      const draft = makeDraft();
      await writer.write(reserveOf(workspaceId, draft, undefined, { amount: 3n, minimum: 3n }));
      await writer.write(appendOf(workspaceId, draft));
      await admin.query(
        `INSERT INTO ledger.entry (id, workspace_id, kind, amount, source, target)
         VALUES ('ent_back', $1, 'refund', 9, 'account', 'operator')`,
        [workspaceId],
      );
      const entries = await entriesOf(workspaceId);
      expect(entries.map(({ kind, amount }) => [kind, amount])).toEqual([
        ['refund', 9n],
        ['overrun', 1n],
        ['usage', 3n],
        ['credit', 1_000n],
      ]);
      const { proofId } = draft;
      const certificates = entries.map(({ certificateId }) => certificateId);
      expect(certificates).toEqual(['', proofId, proofId, '']);
      expect(new Set(entries.map(({ id }) => id)).size).toBe(4);
    });

    it('return pages without gap or repetition, even while new entries are added', async () => {
      const workspaceId = newId('ws');
      for (let n = 1; n <= 20; n += 1) await credit(workspaceId, BigInt(n));
      const before = (await entriesOf(workspaceId)).map(({ id }) => id);
      const seen: string[] = [];
      let cursor = '';
      do {
        const page = await pageOf(workspaceId, 4, cursor);
        seen.push(...page.entries.map(({ id }) => id));
        cursor = page.nextCursor;
        await credit(workspaceId, 1n);
      } while (cursor !== '');
      expect(before).toHaveLength(21);
      expect(seen).toEqual(before);
    });

    it('return no cursor on the last page, even if it is full', async () => {
      const workspaceId = newId('ws');
      await credit(workspaceId, 1n);
      const first = await pageOf(workspaceId, 1);
      expect(first.nextCursor).not.toBe('');
      const last = await pageOf(workspaceId, 1, first.nextCursor);
      expect(last).toMatchObject({ nextCursor: '' });
      expect(last.entries).toHaveLength(1);
    });

    it('return entries in commit order: none appears below a newer one', async () => {
      const workspaceId = newId('ws');
      await balanceOf(workspaceId);
      await admin.query('BEGIN');
      const lock = 'SELECT 1 FROM ledger.account WHERE workspace_id = $1 FOR UPDATE';
      await admin.query(lock, [workspaceId]);
      const blockedCredit = credit(workspaceId, 5n);
      await eventually(async () => {
        const { rowCount } = await admin.query(
          `SELECT 1 FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return rowCount! > 0 || undefined;
      });
      await admin.query(
        `INSERT INTO ledger.entry
           (id, workspace_id, kind, amount, source, target, certificate_id)
         VALUES ('ent_first', $1, 'usage', 1, 'account', 'usage', 'pf_first')`,
        [workspaceId],
      );
      await admin.query('COMMIT');
      const { entry } = await blockedCredit;
      const ids = (await entriesOf(workspaceId)).map(({ id }) => id);
      expect(ids.slice(0, 2)).toEqual([entry!.id, 'ent_first']);
    });

    it('return only entries of the calling workspace', async () => {
      const [ownWorkspaceId, otherWorkspaceId] = [newId('ws'), newId('ws')];
      await credit(otherWorkspaceId, 1n);
      await credit(otherWorkspaceId, 1n);
      const { nextCursor } = await pageOf(otherWorkspaceId, 1);
      expect((await pageOf(ownWorkspaceId, 10, nextCursor)).entries).toEqual([]);
    });

    it.each([
      ['a word', 'newest'],
      ['an id', newId('ent')],
      ['an unencoded number', '12'],
      ['zero', Buffer.from('0').toString('base64url')],
      ['a negative number', Buffer.from('-5').toString('base64url')],
      ['a number with too many digits', Buffer.from('9'.repeat(17)).toString('base64url')],
      ['a valid cursor with a suffix', `${Buffer.from('12').toString('base64url')}!!`],
      ['SQL', Buffer.from('1 OR 1=1').toString('base64url')],
    ])('refuse a cursor that is %s', async (_name, cursor) => {
      const call = pageOf(newId('ws'), 10, cursor);
      await expect(call).rejects.toMatchObject(toError('INVALID_REQUEST'));
    });

    it.each([0, 501])('refuse a limit of %i', async (limit) => {
      const call = pageOf(newId('ws'), limit);
      await expect(call).rejects.toMatchObject(toError('INVALID_REQUEST'));
    });
  });
});
