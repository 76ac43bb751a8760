import type { Balance } from '@witan/contracts';
import type { AccountService } from '@witan/contracts/services';
import { newId } from '@witan/service-kit';
import type { Client } from '@witan/service-kit';
import type { Workspaces } from '../../auth/keys.ts';
import type { Route, RouteCall } from '../../http/route.ts';
import { PAGE_QUERY, readLimit } from '../list-page.ts';
import { nativeRoutes } from '../native-routes.ts';
import { BALANCE, CREDIT_RESULT, ENTRIES, NEW_CREDIT } from './ledger-schema.ts';

const { create, get } = nativeRoutes('Ledger', 'ledger');

const CURSOR_LENGTH_MAX = 200;

export const ledgerRoutes = (
  accounts: Client<typeof AccountService>,
  workspaces: Workspaces,
): Route[] => [
  get('/v1/ledger/balance', {
    id: 'getBalance',
    summary: "The token balance of the key's workspace",
    description:
      'What the calls of all keys of the workspace are charged to: prompt and completion tokens ' +
      'of every model call, as its certificate says them. Another workspace of the same owner ' +
      'has its own.',
    returns: 'The balance',
    schema: BALANCE,
    run: async ({ options }) => {
      const { balance } = await accounts.getBalance({}, options);
      return { balance: encodeBalance(balance!) };
    },
  }),
  get('/v1/ledger/entries', {
    id: 'listEntries',
    summary: 'Credits and usage, newest first; nothing ever changes or removes an entry',
    query: { limit: PAGE_QUERY.limit, cursor: { type: 'string', maxLength: CURSOR_LENGTH_MAX } },
    returns: 'A page of entries',
    schema: ENTRIES,
    errors: { 400: 'limit or cursor is not valid' },
    run: ({ query, options }) => {
      const { cursor = '' } = query as { cursor?: string };
      return accounts.listEntries({ limit: readLimit(query), cursor }, options);
    },
  }),
  create('/v1/ledger/credits', {
    id: 'createCredit',
    summary: 'Add tokens to an account (scope operator, which * does not include)',
    scopes: ['operator'],
    body: NEW_CREDIT,
    returns: 'The entry and the balance behind it',
    schema: CREDIT_RESULT,
    errors: { 400: 'The amount is not a positive integer', 404: 'There is no such workspace' },
    run: async ({ call, body: { amount, reason = '', workspaceId: owner }, options }) => {
      const workspaceId = owner ?? call.principal!.workspaceId;
      await workspaces.get(workspaceId);
      const credit = { entryId: entryIdOf(call), amount: BigInt(amount), reason };
      const { entry, balance } = await accounts.credit(credit, { ...options, workspaceId });
      return { entry, balance: encodeBalance(balance!) };
    },
  }),
];

/**
 * Returns the ledger id of a credit. A retry with the same Idempotency-Key gets the same id, so the
 * ledger records the credit only once.
 */
const entryIdOf = ({ proofId }: RouteCall): string =>
  proofId ? proofId.replace(/^pf_/, 'ent_') : newId('ent');

const encodeBalance = ({ posted, held, metered }: Balance) => ({
  available: posted - held,
  held,
  posted,
  unit: 'tokens',
  metering: metered ? 'metered' : 'unmetered',
});
