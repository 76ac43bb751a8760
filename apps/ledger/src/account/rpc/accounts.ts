import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { checkLimit, invalidRequest } from '@witan/contracts';
import type { BalanceSchema, EntrySchema } from '@witan/contracts';
import type { AccountService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { Accounts, Balance, Entry } from '../ports.ts';

const ENTRY_ID = /^ent_[A-Za-z0-9]{1,64}$/;
const AMOUNT_MAX = 1_000_000_000_000_000n;
const REASON_LENGTH_MAX = 500;

/**
 * Creates the handlers of token accounts. `credit` does not check whether the caller is an
 * operator; the api-gateway does.
 */
export const createAccountHandlers = (
  accounts: Accounts,
  isMetered: boolean,
): Handlers<typeof AccountService> => ({
  getBalance: async (_request, { workspaceId }) => ({
    balance: toBalance(await accounts.balance(workspaceId), isMetered),
  }),
  listEntries: async ({ limit, cursor }, { workspaceId }) => {
    checkLimit(limit);
    const page = { limit, before: decodeCursor(cursor) };
    const { entries, next } = await accounts.entries(workspaceId, page);
    return { entries: entries.map(toEntry), nextCursor: encodeCursor(next) };
  },
  credit: async ({ entryId, amount, reason }, { workspaceId }) => {
    if (!ENTRY_ID.test(entryId)) throw invalidRequest('A credit needs an entry id (ent_...).');
    if (amount < 1n || amount > AMOUNT_MAX) {
      throw invalidRequest(`amount must be from 1 to ${AMOUNT_MAX}.`, { param: 'amount' });
    }
    if (reason.length > REASON_LENGTH_MAX) {
      throw invalidRequest(`reason is longer than ${REASON_LENGTH_MAX}.`, { param: 'reason' });
    }
    const credit = { entryId, amount: Number(amount), reason };
    const { entry, balance } = await accounts.credit(workspaceId, credit);
    return { entry: toEntry(entry), balance: toBalance(balance, isMetered) };
  },
});

const CURSOR_PATTERN = /^[1-9]\d{0,15}$/;

const encodeCursor = (position: number | undefined): string =>
  position === undefined ? '' : Buffer.from(String(position)).toString('base64url');

/**
 * Returns the entry position that a page cursor encodes, or undefined for the empty cursor of the
 * first page. Throws INVALID_REQUEST if the cursor is not valid.
 */
const decodeCursor = (cursor: string): number | undefined => {
  if (cursor === '') return undefined;
  const text = Buffer.from(cursor, 'base64url').toString();
  // Node's decoder skips characters that are not base64url, so the number is encoded again and
  // compared with the cursor.
  if (CURSOR_PATTERN.test(text) && encodeCursor(Number(text)) === cursor) return Number(text);
  throw invalidRequest('The cursor is not one of ours; take nextCursor of the page before.', {
    param: 'cursor',
  });
};

const toEntry = (entry: Entry): MessageInitShape<typeof EntrySchema> => ({
  id: entry.id,
  kind: entry.kind,
  amount: BigInt(entry.amount),
  certificateId: entry.certificateId ?? '',
  createdAt: timestampFromDate(entry.createdAt),
});

const toBalance = (
  { posted, held }: Balance,
  metered: boolean,
): MessageInitShape<typeof BalanceSchema> => ({
  posted: BigInt(posted),
  held: BigInt(held),
  metered,
});
