import { toMicros } from './prices.ts';
import type { Prices, TokenCounts } from './prices.ts';

/** Members by which usage can be grouped. */
export const DIMENSIONS = ['day', 'key', 'agent', 'model', 'provider'] as const;

export type Dimension = (typeof DIMENSIONS)[number];

/** Values of the dimensions; the empty text if not grouped by it, or unknown. */
export type UsageKey = Record<Dimension, string>;

export type UsageRow = UsageKey & TokenCounts & { calls: bigint; totalTokens: bigint };

export type UsageGroup = UsageKey &
  Pick<UsageRow, 'calls' | 'promptTokens' | 'completionTokens' | 'totalTokens'> & {
    /** Undefined if no call has a price. */
    costMicros: bigint | undefined;
    unpricedCalls: bigint;
  };

export type UsageQuery = { from: string; to: string; groupBy: readonly Dimension[] };

export type UsageReader = {
  /**
   * Returns the usage of the days, grouped by `groupBy`, and always by model and provider, on which
   * prices depend. Rejects with INVALID_REQUEST if there are too many groups.
   */
  read: (workspaceId: string, query: UsageQuery) => Promise<UsageRow[]>;
};

/** Groups rows by the given dimensions, and prices each group and the total, each rounded once. */
export const groupUsage = (
  rows: readonly UsageRow[],
  groupBy: readonly Dimension[],
  prices: Pick<Prices, 'costOf'>,
): { groups: UsageGroup[]; total: UsageGroup } => {
  const keyOf = (row: UsageRow): UsageKey => ({
    ...NO_KEY,
    ...Object.fromEntries(groupBy.map((name) => [name, row[name]])),
  });
  const grouped = Map.groupBy(rows, (row) => JSON.stringify(Object.values(keyOf(row))));
  const groups = [...grouped.values()].map((group) => toGroup(keyOf(group[0]!), group, prices));
  return { groups: groups.toSorted(compareGroups), total: toGroup(NO_KEY, rows, prices) };
};

const NO_KEY: UsageKey = { day: '', key: '', agent: '', model: '', provider: '' };

const compareGroups = (one: UsageKey, other: UsageKey): number => {
  const name = DIMENSIONS.find((dimension) => one[dimension] !== other[dimension]);
  return name === undefined ? 0 : one[name] < other[name] ? -1 : 1;
};

const toGroup = (
  key: UsageKey,
  rows: readonly UsageRow[],
  prices: Pick<Prices, 'costOf'>,
): UsageGroup => {
  const group = { calls: 0n, promptTokens: 0n, completionTokens: 0n, totalTokens: 0n };
  let picodollars: bigint | undefined;
  let unpricedCalls = 0n;
  for (const row of rows) {
    group.calls += row.calls;
    group.promptTokens += row.promptTokens;
    group.completionTokens += row.completionTokens;
    group.totalTokens += row.totalTokens;
    const cost = prices.costOf(row, row);
    if (cost === undefined) unpricedCalls += row.calls;
    else picodollars = (picodollars ?? 0n) + cost;
  }
  const costMicros = picodollars === undefined ? undefined : toMicros(picodollars);
  return { ...key, ...group, costMicros, unpricedCalls };
};
