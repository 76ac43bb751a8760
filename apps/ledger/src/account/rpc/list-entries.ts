import { checkLimit } from '@witan/contracts';
import type { AccountService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import { decodeCursor, encodeCursor } from '../entry-cursor.ts';
import type { Accounts } from '../ports.ts';
import { toEntry } from './to-entry.ts';

export const createListEntries =
  (accounts: Accounts): Handlers<typeof AccountService>['listEntries'] =>
  async ({ limit, cursor }, { workspaceId }) => {
    checkLimit(limit);
    const page = { limit, before: decodeCursor(cursor) };
    const { entries, next } = await accounts.entries(workspaceId, page);
    return { entries: entries.map(toEntry), nextCursor: encodeCursor(next) };
  };
