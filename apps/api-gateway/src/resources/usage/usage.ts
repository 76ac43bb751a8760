import type { GetUsageResponse, UsageGroup } from '@witan/contracts';
import type { UsageService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { ValidationError } from '../../http/encode-native-error.ts';
import type { Route } from '../../http/route.ts';
import { closedObject, count, flag, nullableText, text } from '../../http/schema.ts';
import { toCsvLine } from '../csv.ts';
import { nativeRoutes } from '../native-routes.ts';
import { encodeCost, MONEY_OR_NULL } from './money.ts';

const DAY = '^\\d{4}-\\d\\d-\\d\\d$';
const day = { type: 'string', pattern: DAY } as const;

const DIMENSIONS = {
  day: { ...day, description: 'In UTC' },
  keyId: { ...nullableText, description: 'Null: unknown, as for calls of earlier releases' },
  agent: { ...nullableText, description: 'Null: no agent' },
  model: { ...text, description: 'The model that ran' },
  provider: text,
} as const;

/** Members of a response by what the request groups by. */
const MEMBERS = {
  day: 'day',
  key: 'keyId',
  agent: 'agent',
  model: 'model',
  provider: 'provider',
} as const;

type Dimension = keyof typeof MEMBERS;

const SUMS = {
  calls: count,
  promptTokens: count,
  completionTokens: count,
  totalTokens: count,
  cost: MONEY_OR_NULL,
  unpricedCalls: { ...count, description: 'Calls of models without a price; cost leaves them out' },
} as const;

export const USAGE = closedObject({
  usage: { type: 'array', items: closedObject(SUMS, DIMENSIONS) },
  total: closedObject(SUMS),
  prices: closedObject({
    date: day,
    sha256: { ...text, description: 'Of the price table in force' },
    overrides: { ...flag, description: "Whether the operator's own prices take precedence" },
  }),
});

const QUERY = {
  from: { ...day, description: 'First day, in UTC' },
  to: { ...day, description: 'Last day, in UTC' },
  groupBy: {
    type: 'string',
    pattern: `^((${Object.keys(MEMBERS).join('|')})(,(?!$)|$))*$`,
    description: 'Any of day, key, agent, model, provider, with commas between them',
  },
  format: { enum: ['json', 'csv'] },
} as const;

const { handled } = nativeRoutes('Ledger', 'ledger');

export const usageRoute = (usage: Client<typeof UsageService>): Route =>
  handled('get', '/v1/usage', {
    id: 'getUsage',
    summary: 'Calls, tokens and cost by day, key, agent, model and provider',
    description:
      'Sums over all certificates. A cost is computed with the list prices of the table that ' +
      '`prices` names and rounded once per group; models without a price are counted apart.',
    query: QUERY,
    responses: {
      200: {
        description: 'The sums, sorted by what they are grouped by; as CSV on request',
        schema: USAGE,
        streamedAs: 'text/csv',
      },
    },
    errors: { 400: 'A day, groupBy or format is not valid, or there are too many groups' },
    handle: async ({ query, options }) => {
      const { from = '', to = '', groupBy: names, format } = query as UsageQuery;
      if (from && to && from > to) {
        throw new ValidationError([{ path: 'to', message: 'must not be before from' }]);
      }
      const groupBy = (names ? names.split(',') : []) as Dimension[];
      const found = await usage.getUsage({ from, to, groupBy }, options);
      if (format !== 'csv') return { status: 200, json: encodeUsage(found, groupBy) };
      const headers = { 'content-type': 'text/csv; charset=utf-8' };
      return { status: 200, text: toCsv(found, groupBy), headers };
    },
  });

type UsageQuery = { from?: string; to?: string; groupBy?: string; format?: string };

const encodeUsage = ({ groups, total, prices }: GetUsageResponse, by: readonly Dimension[]) => {
  const { date, sha256, overrides } = prices!;
  return {
    usage: groups.map((group) => ({ ...encodeDimensions(group, by), ...encodeSums(group) })),
    total: encodeSums(total!),
    prices: { date, sha256, overrides },
  };
};

const encodeDimensions = (group: UsageGroup, groupBy: readonly Dimension[]) =>
  Object.fromEntries(groupBy.map((name) => [MEMBERS[name], valueOf(group, name)]));

const valueOf = (group: UsageGroup, name: Dimension): string | null => {
  if (name === 'key') return group.apiKeyId || null;
  return name === 'agent' ? group.agent || null : group[name];
};

const encodeSums = (group: UsageGroup) => ({
  calls: Number(group.calls),
  promptTokens: Number(group.promptTokens),
  completionTokens: Number(group.completionTokens),
  totalTokens: Number(group.totalTokens),
  cost: encodeCost(group.costMicros),
  unpricedCalls: Number(group.unpricedCalls),
});

const SUM_COLUMNS = [
  'calls',
  'promptTokens',
  'completionTokens',
  'totalTokens',
  'costUsdMicros',
  'unpricedCalls',
];

/** The cost is empty if no call of the group has a price. */
const toCsv = ({ groups }: GetUsageResponse, groupBy: readonly Dimension[]): string => {
  const lines = groups.map((group) => {
    const { cost, ...sums } = encodeSums(group);
    return toCsvLine([
      ...groupBy.map((name) => valueOf(group, name)),
      sums.calls,
      sums.promptTokens,
      sums.completionTokens,
      sums.totalTokens,
      cost?.micros,
      sums.unpricedCalls,
    ]);
  });
  return [toCsvLine([...groupBy.map((name) => MEMBERS[name]), ...SUM_COLUMNS]), ...lines].join('');
};
