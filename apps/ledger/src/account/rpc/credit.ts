import { invalidRequest } from '@witan/contracts';
import type { AccountService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { Accounts } from '../ports.ts';
import { toBalance, toEntry } from './to-entry.ts';

const ENTRY_ID = /^ent_[A-Za-z0-9]{1,64}$/;
const AMOUNT_MAX = 1_000_000_000_000_000n;
const REASON_LENGTH_MAX = 500;

/**
 * Creates the handler of credits. The api-gateway has already checked that the caller may credit.
 */
export const createCredit =
  (accounts: Accounts, isMetered: boolean): Handlers<typeof AccountService>['credit'] =>
  async ({ entryId, amount, reason }, { workspaceId }) => {
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
  };
