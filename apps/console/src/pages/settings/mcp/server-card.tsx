import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { useChange } from '../../../app/use-change.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { formatCountOf } from '../../../ui/format.ts';
import { Menu } from '../../../ui/menu.tsx';
import { Notice } from '../../../ui/page-state.tsx';
import { Age } from '../../../ui/time.tsx';
import { notify, notifyError } from '../../../ui/toast.tsx';
import css from './mcp.module.css';
import {
  acceptServer,
  KEYS_OF_SERVERS,
  mcpServersQuery,
  refreshServer,
} from './mcp-servers-query.ts';
import type { McpServer } from './mcp-servers-query.ts';
import { DeleteServerDialog } from './server-dialogs.tsx';
import { ToolRow } from './tool-row.tsx';

type ServerCardProps = { server: McpServer; mayChange: boolean };

/** One server with its tools; a changed tool is shown beside the accepted one. */
export const ServerCard = ({ server, mayChange }: ServerCardProps) => {
  const { name, url, protocolVersion, refreshedAt, tools } = server;
  const waiting = tools.filter(({ state }) => WAITING.has(state)).length;
  return (
    <article className={css.server} aria-label={name}>
      <div className={css.head}>
        <div className={css.title}>
          <h3>{name}</h3>
          <code>{url}</code>
          <p className="muted">
            {formatCountOf(tools.length, 'tool')}, read <Age at={refreshedAt} /> · MCP{' '}
            {protocolVersion}
          </p>
        </div>
        {mayChange && <ServerActions server={server} waiting={waiting} />}
      </div>
      {waiting > 0 && (
        <Notice tone="warn">
          {waiting === 1
            ? 'One tool is not as you accepted it. Agents cannot call it.'
            : `${waiting} tools are not as you accepted them. Agents cannot call them.`}
        </Notice>
      )}
      <ul className={css.tools}>
        {tools.map((tool) => (
          <ToolRow key={tool.id} tool={tool} />
        ))}
      </ul>
    </article>
  );
};

/** States of tools that acceptance changes. */
const WAITING: ReadonlySet<string> = new Set(['added', 'changed', 'removed']);

const ServerActions = ({ server, waiting }: { server: McpServer; waiting: number }) => {
  const client = useQueryClient();
  const [isDeleting, setDeleting] = useState(false);
  const refreshing = useChange({
    run: () => refreshServer(server.id),
    changes: KEYS_OF_SERVERS,
    onDone: () => notify(`The tools of “${server.name}” were read again`),
    onError: notifyError,
  });
  const accepting = useChange({
    run: () => acceptServer(server),
    changes: KEYS_OF_SERVERS,
    onDone: () => notify(`The tools of “${server.name}” are accepted`),
    onError: (error) => {
      notifyError(error);
      // The server may list other tools than those that are shown.
      void client.invalidateQueries({ queryKey: mcpServersQuery.queryKey });
    },
  });
  return (
    <div className={css.actions}>
      {waiting > 0 && (
        <Button
          kind="primary"
          icon="check"
          isPending={accepting.isPending}
          onPress={() => accepting.mutate()}
        >
          Accept the tools
        </Button>
      )}
      <Button icon="refresh" isPending={refreshing.isPending} onPress={() => refreshing.mutate()}>
        Read again
      </Button>
      <Menu
        label="More actions"
        trigger={<IconButton icon="more" label={`More actions for ${server.name}`} />}
        actions={[
          {
            id: 'delete',
            label: 'Delete',
            icon: 'close',
            isDestructive: true,
            onAction: () => setDeleting(true),
          },
        ]}
      />
      {isDeleting && <DeleteServerDialog server={server} onClose={() => setDeleting(false)} />}
    </div>
  );
};
