import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { saveFile } from '../../api/save-file.ts';
import { useKeyNames } from '../../app/key-names.ts';
import { Button } from '../../ui/button.tsx';
import { Copyable } from '../../ui/copyable.tsx';
import { EmptyState, Failure, Skeleton } from '../../ui/page-state.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { notifyError } from '../../ui/toast.tsx';
import { Account } from './account.tsx';
import { UsageChart } from './usage-chart.tsx';
import { UsageFilterBar } from './usage-filter-bar.tsx';
import { readUsageCsv, usageQuery } from './usage-query.ts';
import type { Usage, UsageRow } from './usage-query.ts';
import { GROUPINGS, rangeOf } from './usage-search.ts';
import type { Grouping } from './usage-search.ts';
import { UsageTable } from './usage-table.tsx';
import { UsageTotal } from './usage-total.tsx';

const routeApi = getRouteApi('/shell/usage');

/** Tokens and cost of the workspace by day and group, and its token account. */
export const UsagePage = () => {
  const search = routeApi.useSearch();
  const { by = 'model', measure = 'tokens' } = search;
  const range = rangeOf(search, new Date());
  const groups = { ...range, groupBy: [by] };
  const usage = useQuery(usageQuery(groups));
  const nameOf = useRowNames(by);
  const saving = useMutation({
    mutationFn: () => readUsageCsv(groups),
    onSuccess: (csv) => saveFile(`usage-by-${by}-${range.from}-${range.to}.csv`, csv),
    onError: notifyError,
  });
  return (
    <Page
      title="Usage"
      intro="Sums over all certificates of the workspace. Days begin and end in UTC."
      actions={
        <Button icon="download" isPending={saving.isPending} onPress={() => saving.mutate()}>
          Download CSV
        </Button>
      }
    >
      <Account />
      <UsageFilterBar search={search} range={range} />
      {usage.isPending ? (
        <Skeleton lines={12} />
      ) : usage.isError ? (
        <Failure error={usage.error} onRetry={() => void usage.refetch()} />
      ) : usage.data.total.calls === 0 ? (
        <NoUsage />
      ) : (
        <>
          <UsageTotal total={usage.data.total} />
          <UsageChart range={range} by={by} measure={measure} nameOf={nameOf} />
          <Section title={`By ${labelOf(by)}`} intro={<Prices prices={usage.data.prices} />}>
            <UsageTable by={by} rows={usage.data.usage} nameOf={nameOf} />
          </Section>
        </>
      )}
    </Page>
  );
};

const labelOf = (by: Grouping): string => {
  const { label } = GROUPINGS.find(({ value }) => value === by)!;
  return by === 'key' ? label : label.toLowerCase();
};

/** Returns a function that names the group of a row. */
const useRowNames = (by: Grouping): ((row: UsageRow) => string) => {
  const findKeyName = useKeyNames();
  return ({ day = '', keyId, agent, model = '', provider = '' }) => {
    if (by === 'key') return keyId ? (findKeyName(keyId) ?? keyId) : 'Unknown key';
    if (by === 'agent') return agent ?? 'No agent';
    return { day, model, provider }[by];
  };
};

const NoUsage = () => (
  <Section>
    <EmptyState icon="usage" title="No calls in these days">
      <p>Tokens and cost appear here as soon as a call of a model has ended.</p>
    </EmptyState>
  </Section>
);

const Prices = ({ prices }: { prices: Usage['prices'] }) => (
  <>
    List prices of {prices.date}
    {prices.overrides && ', where the operator has not set another price'}. Table{' '}
    <Copyable
      text={prices.sha256}
      shown={`${prices.sha256.slice(0, 12)}…`}
      name="hash of the price table"
    />
  </>
);
