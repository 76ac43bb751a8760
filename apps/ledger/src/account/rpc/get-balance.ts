import type { AccountService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { Accounts } from '../ports.ts';
import { toBalance } from './to-entry.ts';

export const createGetBalance =
  (accounts: Accounts, isMetered: boolean): Handlers<typeof AccountService>['getBalance'] =>
  async (_request, { workspaceId }) => ({
    balance: toBalance(await accounts.balance(workspaceId), isMetered),
  });
