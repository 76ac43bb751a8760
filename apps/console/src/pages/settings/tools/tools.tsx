import { useState } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { canUse, useSession } from '../../../app/session.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState, Failure, Skeleton } from '../../../ui/page-state.tsx';
import { Section } from '../../../ui/page.tsx';
import { Table } from '../../../ui/table.tsx';
import type { TableColumn } from '../../../ui/table.tsx';
import { Day } from '../../../ui/time.tsx';
import css from '../settings.module.css';
import { CreateToolDialog } from './tool-dialogs.tsx';
import { ToolState } from './tool-state.tsx';
import { toolsQuery } from './tools-query.ts';
import type { ListedTool } from './tools-query.ts';

/** Lists the tools of the workspace and registers one. */
export const Tools = () => {
  const mayChange = canUse(useSession(), ['tools']);
  const [isCreating, setCreating] = useState(false);
  return (
    <Section
      title="Tools"
      intro="Your endpoints that agents may call. Each call is signed with the tool's secret."
      actions={
        mayChange && (
          <Button kind="primary" icon="plus" onPress={() => setCreating(true)}>
            Register a tool
          </Button>
        )
      }
    >
      <ToolList />
      {isCreating && <CreateToolDialog onClose={() => setCreating(false)} />}
    </Section>
  );
};

const ToolList = () => {
  const tools = useInfiniteQuery(toolsQuery);
  if (tools.isPending) return <Skeleton />;
  if (tools.isError) return <Failure error={tools.error} onRetry={() => void tools.refetch()} />;
  const items = tools.data.pages.flatMap((page) => page.tools);
  if (items.length === 0) {
    return (
      <EmptyState icon="tool" title="No tools yet">
        <p>
          Register an https endpoint with a JSON Schema of its arguments. A model decides by the
          description when to call it.
        </p>
      </EmptyState>
    );
  }
  return (
    <>
      <Table label="Tools" columns={COLUMNS} items={items} />
      {tools.hasNextPage && (
        <Button isPending={tools.isFetchingNextPage} onPress={() => void tools.fetchNextPage()}>
          Show older tools
        </Button>
      )}
    </>
  );
};

const COLUMNS: readonly TableColumn<ListedTool>[] = [
  {
    id: 'name',
    title: 'Name',
    isRowHeader: true,
    cell: ({ id, name, description }) => (
      <div className={css.wrap}>
        <Link to="/settings/tools/$toolId" params={{ toolId: id }} className={css.name}>
          {name}
        </Link>
        <span className={css.note}>{description}</span>
      </div>
    ),
  },
  { id: 'state', title: 'State', cell: (tool) => <ToolState tool={tool} /> },
  {
    id: 'url',
    title: 'Endpoint',
    cell: ({ url }) => <div className={css.wrap}>{url}</div>,
  },
  { id: 'created', title: 'Created', cell: ({ createdAt }) => <Day at={createdAt} /> },
];
