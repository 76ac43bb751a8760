import type { Balance } from '@witan/contracts';
import type { AccountService } from '@witan/contracts/services';
import { newId } from '@witan/service-kit';
import type { Client } from '@witan/service-kit';
import type { Workspaces } from '../../auth/workspace.ts';
import { optionsOf } from '../../http/call-options.ts';
import type { Route, RouteCall } from '../../http/route.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { BALANCE, CREDIT_RESULT, ENTRIES, NEW_CREDIT } from './ledger-schema.ts';
import { reply } from '../../http/encode.ts';
import type { Static } from '../../http/schema.ts';

type Accounts = Client<typeof AccountService>;

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 500;
const CURSOR_LENGTH_MAX = 200;

const shared = { surface: 'native', tag: 'Ledger' } as const;
const reading = { ...shared, method: 'get', scopes: ['ledger', 'ledger:read'] } as const;

export const balanceRoute = (accounts: Accounts): Route => ({
  ...reading,
  id: 'getBalance',
  path: '/v1/ledger/balance',
  summary: "The token balance of the key's workspace",
  description:
    'What the calls of all keys of the workspace are charged to: prompt and completion tokens of ' +
    'every model call, as its certificate says them. Another workspace of the same owner has its ' +
    'own.',
  responses: { 200: { description: 'The balance', schema: BALANCE } },
  handle: async (call) => {
    const { balance } = await accounts.getBalance({}, optionsOf(call));
    return { status: 200, json: { balance: encodeBalance(balance!) } };
  },
});

export const entriesRoute = (accounts: Accounts): Route => ({
  ...reading,
  id: 'listEntries',
  path: '/v1/ledger/entries',
  summary: 'Credits and usage, newest first; nothing ever changes or removes an entry',
  query: {
    limit: { type: 'integer', minimum: 1, maximum: LIMIT_MAX },
    cursor: { type: 'string', maxLength: CURSOR_LENGTH_MAX },
  },
  responses: {
    200: { description: 'A page of entries', schema: ENTRIES },
    400: DOCUMENTED_ERROR.native('limit or cursor is not valid'),
  },
  handle: async (call) => {
    const { limit = LIMIT_DEFAULT, cursor = '' } = call.query as {
      limit?: number;
      cursor?: string;
    };
    const page = await accounts.listEntries({ limit, cursor }, optionsOf(call));
    return reply(200, ENTRIES, page);
  },
});

export const creditsRoute = (accounts: Accounts, workspaces: Workspaces): Route => ({
  ...shared,
  id: 'createCredit',
  method: 'post',
  path: '/v1/ledger/credits',
  summary: 'Add tokens to an account (scope operator, which * does not include)',
  scopes: ['operator'],
  body: NEW_CREDIT,
  idempotent: true,
  responses: {
    201: { description: 'The entry and the balance behind it', schema: CREDIT_RESULT },
    400: DOCUMENTED_ERROR.native('The amount is not a positive integer'),
    404: DOCUMENTED_ERROR.native('There is no such workspace'),
  },
  handle: async (call) => {
    const { amount, reason = '', workspaceId } = call.body as Static<typeof NEW_CREDIT>;
    const owner = workspaceId ?? call.principal!.workspaceId;
    await workspaces.get(owner);
    const credit = { entryId: entryIdOf(call), amount: BigInt(amount), reason };
    const response = await accounts.credit(credit, { ...optionsOf(call), workspaceId: owner });
    return reply(201, CREDIT_RESULT, response, { balance: encodeBalance(response.balance!) });
  },
});

/**
 * Returns the ledger id of a credit. A retry with the same Idempotency-Key gets the same id, so the
 * ledger records the credit only once.
 */
const entryIdOf = ({ proofId }: RouteCall): string =>
  proofId ? proofId.replace(/^pf_/, 'ent_') : newId('ent');

const encodeBalance = ({ posted, held, metered }: Balance) => ({
  available: Number(posted - held),
  held: Number(held),
  posted: Number(posted),
  unit: 'tokens' as const,
  metering: metered ? ('metered' as const) : ('unmetered' as const),
});
