import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { canUse, useSession } from '../../app/session.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { EmptyState, Failure, Skeleton } from '../../ui/page-state.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import type { TableColumn } from '../../ui/table.tsx';
import { Age } from '../../ui/time.tsx';
import { simulationsQuery } from './simulations-query.ts';
import type { ListedSimulation } from './simulations-query.ts';

/** All simulations of the workspace. */
export const Simulations = () => {
  const session = useSession();
  const simulations = useInfiniteQuery(simulationsQuery);
  const canCreate = canUse(session, ['sim-engine']);
  const items = simulations.data?.pages.flatMap((page) => page.simulations) ?? [];
  return (
    <Page
      title="Simulations"
      intro={
        'Play a company forward, turn by turn. Your agents decide, a model computes every ' +
        'number, and scenarios show what another world would change.'
      }
      actions={canCreate && items.length > 0 && <NewLink />}
    >
      <Section isFlush>
        {simulations.isPending ? (
          <Skeleton lines={8} />
        ) : simulations.isError ? (
          <Failure error={simulations.error} onRetry={() => void simulations.refetch()} />
        ) : items.length === 0 ? (
          <NoSimulations canCreate={canCreate} />
        ) : (
          <Table label="Simulations" columns={COLUMNS} items={items} />
        )}
      </Section>
      {simulations.hasNextPage && (
        <Button
          isPending={simulations.isFetchingNextPage}
          onPress={() => void simulations.fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </Page>
  );
};

const NewLink = () => (
  <Link to="/simulations/new" className={buttonClass('primary')}>
    <Icon name="plus" size={16} />
    New simulation
  </Link>
);

const COLUMNS: readonly TableColumn<ListedSimulation>[] = [
  {
    id: 'name',
    title: 'Name',
    isRowHeader: true,
    cell: ({ id, name }) => (
      <Link to="/simulations/$simulationId" params={{ simulationId: id }}>
        {name}
      </Link>
    ),
  },
  {
    id: 'turn',
    title: 'Played',
    cell: ({ currentTurn, turnUnit }) => describeTurns(currentTurn, turnUnit),
  },
  { id: 'states', title: 'States', cell: ({ _count }) => formatCount(_count.states) },
  { id: 'created', title: 'Created', cell: ({ createdAt }) => <Age at={createdAt} /> },
];

const describeTurns = (turns: number, unit: ListedSimulation['turnUnit']): string =>
  turns === 0 ? 'Not yet' : `${formatCount(turns)} ${unit}${turns === 1 ? '' : 's'}`;

const NoSimulations = ({ canCreate }: { canCreate: boolean }) => (
  <EmptyState icon="simulations" title="No simulations yet" action={canCreate && <NewLink />}>
    <p>
      Describe a company by its revenue, its staff and its cash. Add scenarios, such as a recession
      or a price war. In each turn your agents choose price, marketing and staff, and you see what
      comes of it.
    </p>
  </EmptyState>
);
