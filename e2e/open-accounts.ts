import { expect } from '@jest/globals';
import { createHttpClient } from './http-client.ts';
import type { HttpClient } from './http-client.ts';
import { openKeys } from './open-keys.ts';
import type { Keys, CreatedKey } from './open-keys.ts';
import type { Fixture } from './open-fixture.ts';

export const BALANCE_PATH = '/v1/ledger/balance';
export const ENTRIES_PATH = '/v1/ledger/entries';
export const CREDITS_PATH = '/v1/ledger/credits';

/** Environment variables for metered calls, with an audit of the ledger every 100 ms. */
export const METERED = { METERING: 'metered', WITAN_AUDIT_INTERVAL_MS: '100' };

export type Balance = {
  available: number;
  held: number;
  posted: number;
  unit: 'tokens';
  metering: 'metered' | 'unmetered';
};
export type Entry = {
  id: string;
  kind: 'credit' | 'usage' | 'refund' | 'overrun';
  amount: number;
  certificateId: string | null;
  createdAt: string;
};

export type Account = {
  client: HttpClient;
  balance: () => Promise<Balance>;
  /** Returns all ledger entries of the account, newest first. */
  entries: () => Promise<Entry[]>;
};

/** An API key with its own workspace and account. */
export type Member = CreatedKey & Account;

export type Accounts = AsyncDisposable & {
  keys: Keys;
  createMember: (options?: { credit?: number; scopes?: string[] }) => Promise<Member>;
  /** Credits tokens to a workspace, by default to that of the operator. */
  credit: (amount: number, workspaceId?: string) => Promise<void>;
};

export const openAccounts = async ({ system, client }: Fixture): Promise<Accounts> => {
  const keys = await openKeys(system);
  const credit = async (amount: number, workspaceId?: string): Promise<void> => {
    const { status, text } = await client.send(CREDITS_PATH, { body: { amount, workspaceId } });
    expect([status, text]).toEqual([201, expect.any(String)]);
  };
  return {
    keys,
    credit,
    createMember: async ({ credit: amount = 0, scopes } = {}) => {
      const key = await keys.makeKey(scopes);
      if (amount > 0) await credit(amount, key.workspaceId);
      return { ...key, ...accountOf(createHttpClient(key)) };
    },
    [Symbol.asyncDispose]: () => keys[Symbol.asyncDispose](),
  };
};

/** Returns the account of the client's workspace. */
export const accountOf = (client: HttpClient): Account => {
  const read = async (path: string): Promise<unknown> => {
    const answer = await client.send(path);
    expect([answer.status, answer.json]).toEqual([200, expect.any(Object)]);
    return answer.json;
  };
  return {
    client,
    balance: async () => ((await read(BALANCE_PATH)) as { balance: Balance }).balance,
    entries: async () => {
      const all: Entry[] = [];
      let cursor: string | undefined = '';
      while (cursor !== undefined) {
        const query = cursor && `&cursor=${encodeURIComponent(cursor)}`;
        const page = (await read(`${ENTRIES_PATH}?limit=500${query}`)) as {
          entries: Entry[];
          nextCursor?: string;
        };
        all.push(...page.entries);
        cursor = page.nextCursor;
      }
      return all;
    },
  };
};

/** Returns the total amount of all entries of these kinds. */
export const sumAmounts = (entries: readonly Entry[], ...kinds: Entry['kind'][]): number =>
  entries
    .filter(({ kind }) => kinds.includes(kind))
    .reduce((total, { amount }) => total + amount, 0);
