import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { canUse, useSession } from '../../app/session.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { EmptyState, Failure, Notice, Skeleton } from '../../ui/page-state.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import type { TableColumn } from '../../ui/table.tsx';
import { Age } from '../../ui/time.tsx';
import { agentsQuery } from './agents-query.ts';
import type { Agent } from './agents-query.ts';
import css from './agents.module.css';

/** All agents of the workspace, which together are the council. */
export const Agents = () => {
  const session = useSession();
  const agents = useInfiniteQuery(agentsQuery);
  const canCreate = canUse(session, ['agents']);
  const items = agents.data?.pages.flatMap((page) => page.agents) ?? [];
  return (
    <Page
      title="Agents"
      intro={
        'An agent is a persona with its own memories, tools and documents. All agents of the ' +
        'workspace debate the questions of the council; each also answers alone.'
      }
      actions={canCreate && items.length > 0 && <NewLink />}
    >
      {items.length === 1 && (
        <Notice>
          One agent answers alone. Create a second one, so that the council can debate.
        </Notice>
      )}
      <Section isFlush>
        {agents.isPending ? (
          <Skeleton lines={8} />
        ) : agents.isError ? (
          <Failure error={agents.error} onRetry={() => void agents.refetch()} />
        ) : items.length === 0 ? (
          <NoAgents canCreate={canCreate} />
        ) : (
          <Table label="Agents" columns={COLUMNS} items={items} />
        )}
      </Section>
      {agents.hasNextPage && (
        <Button isPending={agents.isFetchingNextPage} onPress={() => void agents.fetchNextPage()}>
          Show more
        </Button>
      )}
    </Page>
  );
};

const NewLink = () => (
  <Link to="/agents/new" className={buttonClass('primary')}>
    <Icon name="plus" size={16} />
    New agent
  </Link>
);

const COLUMNS: readonly TableColumn<Agent>[] = [
  {
    id: 'name',
    title: 'Name',
    isRowHeader: true,
    cell: ({ id, name, role }) => (
      <span className={css.named}>
        <Link to="/agents/$agentId" params={{ agentId: id }}>
          {name}
        </Link>
        {role !== '' && <span className={css.role}>{role}</span>}
      </span>
    ),
  },
  { id: 'address', title: 'Address', cell: ({ slug }) => <code>agent:{slug}</code> },
  {
    id: 'model',
    title: 'Model',
    cell: ({ model }) => (model === '' ? <span className="muted">Default</span> : model),
  },
  { id: 'changed', title: 'Changed', cell: ({ updatedAt }) => <Age at={updatedAt} /> },
  {
    id: 'chat',
    title: 'Chat',
    cell: ({ id, name }) => (
      <Link to="/agents/$agentId/chat" params={{ agentId: id }} aria-label={`Chat with ${name}`}>
        Chat
      </Link>
    ),
  },
];

const NoAgents = ({ canCreate }: { canCreate: boolean }) => (
  <EmptyState icon="agents" title="No agents yet" action={canCreate && <NewLink />}>
    <p>
      Write who the agent is, what it cares about and how it decides: a careful head of finance, a
      bold head of growth, a sceptic. The more they differ, the more a debate shows. A council needs
      at least two.
    </p>
  </EmptyState>
);
