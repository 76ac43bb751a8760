import { useState } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { canUse, useSession } from '../../../app/session.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState, Failure, Skeleton } from '../../../ui/page-state.tsx';
import { Section } from '../../../ui/page.tsx';
import css from './mcp.module.css';
import { mcpServersQuery } from './mcp-servers-query.ts';
import { ServerCard } from './server-card.tsx';
import { AddServerDialog } from './server-dialogs.tsx';

/** Lists, adds, refreshes, accepts and deletes the MCP servers of the workspace. */
export const McpServers = () => {
  const mayChange = canUse(useSession(), ['tools']);
  const [isAdding, setAdding] = useState(false);
  return (
    <Section
      title="MCP servers"
      intro={
        'The tools of a server can be linked to agents. A tool that the server changes is not ' +
        'offered to agents until you accept it.'
      }
      actions={
        mayChange && (
          <Button kind="primary" icon="plus" onPress={() => setAdding(true)}>
            Add a server
          </Button>
        )
      }
    >
      <ServerList mayChange={mayChange} />
      {isAdding && <AddServerDialog onClose={() => setAdding(false)} />}
    </Section>
  );
};

const ServerList = ({ mayChange }: { mayChange: boolean }) => {
  const servers = useInfiniteQuery(mcpServersQuery);
  if (servers.isPending) return <Skeleton />;
  if (servers.isError) {
    return <Failure error={servers.error} onRetry={() => void servers.refetch()} />;
  }
  const items = servers.data.pages.flatMap((page) => page.servers);
  if (items.length === 0) {
    return (
      <EmptyState icon="tool" title="No MCP servers yet">
        <p>Add a server that speaks MCP over https, then link its tools to agents.</p>
      </EmptyState>
    );
  }
  return (
    <div className={css.servers}>
      {items.map((server) => (
        <ServerCard key={server.id} server={server} mayChange={mayChange} />
      ))}
      {servers.hasNextPage && (
        <Button isPending={servers.isFetchingNextPage} onPress={() => void servers.fetchNextPage()}>
          Show older servers
        </Button>
      )}
    </div>
  );
};
