import { invalidRequest } from '@witan/contracts';
import type { AccountService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import { decodeCursor, encodeCursor } from '../entry-cursor.ts';
import type { Accounts } from '../ports.ts';
import { toEntry } from './to-entry.ts';

const LIMIT_MAX = 500;

export const createListEntries =
  (accounts: Accounts): Handlers<typeof AccountService>['listEntries'] =>
  async ({ limit, cursor }, { workspaceId }) => {
    if (limit < 1 || limit > LIMIT_MAX) {
      throw invalidRequest(`limit must be from 1 to ${LIMIT_MAX}.`, { param: 'limit' });
    }
    const page = { limit, before: decodeCursor(cursor) };
    const { entries, next } = await accounts.entries(workspaceId, page);
    return { entries: entries.map(toEntry), nextCursor: encodeCursor(next) };
  };
