import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { canUse, useSession } from '../../app/session.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Badge, EmptyState, Failure, Notice, Skeleton } from '../../ui/page-state.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import type { TableColumn } from '../../ui/table.tsx';
import { Age } from '../../ui/time.tsx';
import { analysesQuery, DEPTHS } from './market-query.ts';
import type { ListedAnalysis } from './market-query.ts';
import { isOpen } from './market-run.ts';
import css from './market.module.css';
import { useMarketRun } from './use-market-run.ts';

/** The market analyses of the workspace. */
export const Analyses = () => {
  const analyses = useInfiniteQuery(analysesQuery);
  const canAsk = canUse(useSession(), ['market-analysis']);
  const { run } = useMarketRun();
  const items = analyses.data?.pages.flatMap((page) => page.analyses) ?? [];
  return (
    <Page
      title="Market analyses"
      intro={
        'Size, trends, competitors and recommendations of a market, as far as a model knows it, ' +
        'with what it assumed.'
      }
      actions={canAsk && items.length > 0 && <NewLink />}
    >
      {isOpen(run) && (
        <Notice>
          An analysis is being written: “{run.question.query}”.{' '}
          <Link to="/market/new">Watch it</Link>
        </Notice>
      )}
      <Section isFlush>
        {analyses.isPending ? (
          <Skeleton lines={8} />
        ) : analyses.isError ? (
          <Failure error={analyses.error} onRetry={() => void analyses.refetch()} />
        ) : items.length === 0 ? (
          <NoAnalyses canAsk={canAsk} />
        ) : (
          <Table label="Market analyses" columns={COLUMNS} items={items} />
        )}
      </Section>
      {analyses.hasNextPage && (
        <Button
          isPending={analyses.isFetchingNextPage}
          onPress={() => void analyses.fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </Page>
  );
};

const NewLink = () => (
  <Link to="/market/new" className={buttonClass('primary')}>
    <Icon name="plus" size={16} />
    New analysis
  </Link>
);

const COLUMNS: readonly TableColumn<ListedAnalysis>[] = [
  {
    id: 'question',
    title: 'Question',
    isRowHeader: true,
    cell: ({ id, query }) => (
      <Link to="/market/$analysisId" params={{ analysisId: id }} className={css.question}>
        {query}
      </Link>
    ),
  },
  { id: 'depth', title: 'Depth', cell: ({ depth }) => <Badge>{DEPTHS[depth].label}</Badge> },
  { id: 'created', title: 'Written', cell: ({ createdAt }) => <Age at={createdAt} /> },
];

const NoAnalyses = ({ canAsk }: { canAsk: boolean }) => (
  <EmptyState icon="market" title="No market analyses yet" action={canAsk && <NewLink />}>
    <p>
      Ask about one market in one place, such as “bread in Lyon, for a bakery with two shops”. You
      get figures with their range, named competitors and next steps. Nothing is looked up: use it
      to begin, not to prove.
    </p>
  </EmptyState>
);
