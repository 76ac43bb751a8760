import { invalidRequest } from '@witan/contracts';
import type { UsageService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { Prices } from '../prices.ts';
import { DIMENSIONS, groupUsage } from '../usage.ts';
import type { Dimension, UsageGroup, UsageReader } from '../usage.ts';

export const createUsageHandlers = (
  usage: UsageReader,
  prices: Prices,
): Handlers<typeof UsageService> => ({
  getUsage: async ({ from, to, groupBy: names }, { workspaceId }) => {
    const groupBy = names.map(parseDimension);
    const query = { from: parseDay(from), to: parseDay(to), groupBy };
    const { groups, total } = groupUsage(await usage.read(workspaceId, query), groupBy, prices);
    const { date, sha256, hasOverrides: overrides } = prices;
    return {
      groups: groups.map(toMessage),
      total: toMessage(total),
      prices: { date, sha256, overrides },
    };
  },
});

const toMessage = ({ key: apiKeyId, costMicros, ...group }: UsageGroup) => ({
  ...group,
  apiKeyId,
  ...(costMicros === undefined ? {} : { costMicros }),
});

const parseDimension = (name: string): Dimension => {
  const known = DIMENSIONS.find((one) => one === name);
  if (!known) throw invalidRequest(`Usage is grouped by ${DIMENSIONS.join(', ')}, not by ${name}.`);
  return known;
};

const parseDay = (text: string): string => {
  if (text !== '' && !isDay(text)) throw invalidRequest('A day is written as YYYY-MM-DD.');
  return text;
};

/** Parsing accepts days that a month does not have; PostgreSQL has no year 0. */
const isDay = (text: string): boolean =>
  /^(?!0000)\d{4}-\d\d-\d\d$/.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  new Date(text).toISOString().startsWith(text);
