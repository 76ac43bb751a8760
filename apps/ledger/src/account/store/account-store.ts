import { defineEntity, p } from '@mikro-orm/core';
import { conflict } from '@witan/contracts';
import { workspaceScope } from '@witan/service-kit';
import type { Database, Transaction } from '@witan/service-kit';
import type { EntryKind, Accounts, Balance, Entry } from '../ports.ts';

export const AccountEntity = defineEntity({
  name: 'Account',
  tableName: 'account',
  properties: {
    workspaceId: p.string().primary(),
    posted: p.bigint('number'),
    held: p.bigint('number'),
  },
});

/** Append-only double entry: the amount moves from `source` to `target`. */
export const EntryEntity = defineEntity({
  name: 'Entry',
  tableName: 'entry',
  properties: {
    workspaceId: p.string().primary(),
    seq: p.bigint('number').primary(),
    id: p.string(),
    kind: p.string().$type<EntryKind>(),
    amount: p.bigint('number'),
    source: p.string(),
    target: p.string(),
    certificateId: p.string().nullable(),
    reason: p.string().nullable(),
    createdAt: p.datetime(),
  },
});

const BALANCE_MAX = Number.MAX_SAFE_INTEGER;

export const createAccountStore = (database: Database, openingCredit: number): Accounts => {
  const openAccount = async (em: Transaction, workspaceId: string): Promise<Balance> => {
    const found = await em.findOne(AccountEntity, { workspaceId });
    if (found) return found;
    await em.execute('SELECT open_accounts(ARRAY[?], ?)', [workspaceId, openingCredit]);
    return await em.findOneOrFail(AccountEntity, { workspaceId });
  };
  return {
    balance: (workspaceId) =>
      database.scoped(workspaceScope(workspaceId), async (em) => {
        const { posted, held } = await openAccount(em, workspaceId);
        return { posted, held };
      }),
    entries: (workspaceId, { limit, before }) =>
      database.scoped(workspaceScope(workspaceId), async (em) => {
        await openAccount(em, workspaceId);
        const rows = await em.find(
          EntryEntity,
          { workspaceId, ...(before === undefined ? {} : { seq: { $lt: before } }) },
          { orderBy: { seq: 'desc' }, limit: limit + 1 },
        );
        const page = rows.slice(0, limit);
        const next = rows.length > limit ? page.at(-1)!.seq : undefined;
        return { entries: page.map(toEntry), next };
      }),
    credit: (workspaceId, credit) =>
      database.scoped(workspaceScope(workspaceId), async (em) => {
        await openAccount(em, workspaceId);
        // Entries are numbered under the account's lock. Otherwise an entry could become visible
        // after one with a higher number, and a client that pages from new to old would miss it.
        await em.execute('SELECT 1 FROM account WHERE workspace_id = ? FOR UPDATE', [workspaceId]);
        const entry = await insertCredit(em, workspaceId, credit);
        const { posted, held } = await em.findOneOrFail(
          AccountEntity,
          { workspaceId },
          { refresh: true },
        );
        return { entry: toEntry(entry), balance: { posted, held } };
      }),
  };
};

type EntryRow = Pick<Entry, 'id' | 'kind' | 'amount' | 'createdAt'> & {
  certificateId?: string | null;
};

const insertCredit = async (
  em: Transaction,
  workspaceId: string,
  { entryId: id, amount, reason }: { entryId: string; amount: number; reason: string },
): Promise<EntryRow> => {
  const inserted = await em.execute<{ id: string }[]>(
    `INSERT INTO entry (id, workspace_id, kind, amount, source, target, reason)
     VALUES (?, ?, 'credit', ?, 'operator', 'account', ?)
     ON CONFLICT (id) WHERE kind = 'credit' DO NOTHING RETURNING id`,
    [id, workspaceId, amount, reason || null],
  );
  const entry = await em.findOne(EntryEntity, { id, workspaceId, kind: 'credit' });
  if (!entry || entry.amount !== amount) throw conflict('This id names another credit.');
  if (inserted.length === 0) return entry;
  const updatedRows = await em.execute<{ posted: string }[]>(
    `UPDATE account SET posted = posted + ? WHERE workspace_id = ? AND posted <= ?
     RETURNING posted`,
    [amount, workspaceId, BALANCE_MAX - amount],
  );
  if (updatedRows.length === 0) throw conflict(`A balance cannot be above ${BALANCE_MAX} tokens.`);
  return entry;
};

const toEntry = ({ id, kind, amount, certificateId, createdAt }: EntryRow): Entry => ({
  id,
  kind,
  amount,
  certificateId: certificateId ?? null,
  createdAt,
});
