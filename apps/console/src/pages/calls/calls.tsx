import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Button, buttonClass } from '../../ui/button.tsx';
import { formatCost, formatCount, formatDuration } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { Badge, EmptyState } from '../../ui/page-state.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { PagedRows } from '../../ui/paged-rows.tsx';
import type { RowColumn } from '../../ui/row-list.tsx';
import { CallFilterBar } from './call-filter-bar.tsx';
import { FINISH } from './call-filters.ts';
import { describeAddress } from './call-labels.ts';
import { callsQuery } from './calls-query.ts';
import type { Call } from './calls-query.ts';
import css from './calls.module.css';
import { RowTime } from '../../ui/time.tsx';

const routeApi = getRouteApi('/shell/calls');

/** Every certified call of the workspace, newest first. */
export const Calls = () => {
  const filters = routeApi.useSearch();
  const calls = useInfiniteQuery(callsQuery(filters));
  return (
    <Page
      title="Calls"
      intro={
        'Every call of a model has a signed certificate. Open one to see what it attests and ' +
        'to verify it here.'
      }
      actions={
        <>
          <Link to="/calls/chain" className={buttonClass()}>
            <Icon name="shield" size={16} />
            Verify the chain
          </Link>
          <Button
            icon="refresh"
            isPending={calls.isRefetching && !calls.isFetchingNextPage}
            onPress={() => void calls.refetch()}
          >
            Refresh
          </Button>
        </>
      }
    >
      <CallFilterBar filters={filters} />
      <Section isFlush>
        <PagedRows
          label="Calls"
          query={calls}
          itemsOf={(page) => page.calls}
          columns={COLUMNS}
          keyOf={({ proofId }) => proofId}
          empty={Object.keys(filters).length > 0 ? <NoMatch /> : <NoCalls />}
        />
      </Section>
    </Page>
  );
};

const COLUMNS: readonly RowColumn<Call>[] = [
  {
    id: 'time',
    title: 'Time',
    width: 'minmax(7.5rem, 10.5rem)',
    cell: ({ proofId, createdAt }) => (
      <Link to="/calls/$proofId" params={{ proofId }} className={css.open} preload={false}>
        <RowTime at={createdAt} />
      </Link>
    ),
  },
  {
    id: 'model',
    title: 'Model',
    width: 'minmax(6rem, 2fr)',
    cell: ({ model, provider }) => (
      <>
        {model} <span className={css.sub}>{provider}</span>
      </>
    ),
  },
  {
    id: 'address',
    title: 'Address',
    width: 'minmax(6rem, 1.5fr)',
    isSecondary: true,
    cell: ({ address, requestedModel }) =>
      address.kind === 'model' ? requestedModel : describeAddress(address),
  },
  {
    id: 'finish',
    title: 'Result',
    width: '6rem',
    cell: ({ finishReason, fallbackChain }) => {
      const { label, tone } = FINISH[finishReason];
      return <Badge tone={tone}>{fallbackChain ? `${label}, fallback` : label}</Badge>;
    },
  },
  {
    id: 'masked',
    title: 'Masked',
    width: '4.5rem',
    isNumber: true,
    isSecondary: true,
    cell: ({ maskedCount }) => formatCount(maskedCount),
  },
  {
    id: 'tokens',
    title: 'Tokens',
    width: '5.5rem',
    isNumber: true,
    isSecondary: true,
    cell: ({ usage }) => formatCount(usage.totalTokens),
  },
  {
    id: 'cost',
    title: 'Cost',
    width: '6rem',
    isNumber: true,
    isSecondary: true,
    cell: ({ cost }) =>
      cost === null ? <span className={css.sub}>no price</span> : formatCost(cost),
  },
  {
    id: 'duration',
    title: 'Duration',
    width: '5.5rem',
    isNumber: true,
    isSecondary: true,
    cell: ({ durationMs }) => (durationMs === null ? '' : formatDuration(durationMs)),
  },
];

const NoCalls = () => (
  <EmptyState icon="calls" title="No calls yet">
    <p>
      Point any OpenAI or Anthropic client at this address with an API key of the workspace. Its
      first call appears here with its certificate.
    </p>
  </EmptyState>
);

const NoMatch = () => (
  <EmptyState
    icon="filter"
    title="No call matches these filters"
    action={
      <Link to="/calls" search={{}}>
        Remove all filters
      </Link>
    }
  >
    <p>Filters match exactly. Remove one, or choose a longer period.</p>
  </EmptyState>
);
