import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/page-state.tsx';
import { Age } from '../../../ui/time.tsx';
import { notify, notifyError } from '../../../ui/toast.tsx';
import { DeleteServerDialog } from './delete-server-dialog.tsx';
import css from './mcp.module.css';
import { acceptServer, mcpServersQuery, refreshServer } from './mcp-servers-query.ts';
import type { McpServer } from './mcp-servers-query.ts';
import { ToolRow } from './tool-row.tsx';

type ServerCardProps = { server: McpServer; mayChange: boolean };

/** One server with its tools; a changed tool is shown beside the accepted one. */
export const ServerCard = ({ server, mayChange }: ServerCardProps) => {
  const { name, url, protocolVersion, refreshedAt, tools } = server;
  const waiting = tools.filter(({ state }) => WAITING.has(state)).length;
  return (
    <article className={css.server} aria-label={name}>
      <div className={css.head}>
        <div>
          <h3>{name}</h3>
          <code className="muted">{url}</code>
          <p className="muted">
            MCP {protocolVersion}, {tools.length} tools, read <Age at={refreshedAt} />
          </p>
        </div>
        {mayChange && <ServerActions server={server} waiting={waiting} />}
      </div>
      {waiting > 0 && (
        <Notice tone="warn">
          {waiting} of the tools are not as you accepted them. Agents cannot call them.
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
  const invalidate = () => client.invalidateQueries({ queryKey: mcpServersQuery.queryKey });
  const refreshing = useMutation({
    mutationFn: refreshServer,
    onSuccess: () => {
      notify(`The tools of “${server.name}” were read again`);
      return invalidate();
    },
    onError: notifyError,
  });
  const accepting = useMutation({
    mutationFn: acceptServer,
    onSuccess: () => {
      notify(`The tools of “${server.name}” are accepted`);
      return invalidate();
    },
    onError: async (error) => {
      notifyError(error);
      await invalidate();
    },
  });
  return (
    <div className={css.actions}>
      {waiting > 0 && (
        <Button
          kind="primary"
          icon="check"
          isPending={accepting.isPending}
          onPress={() => accepting.mutate(server)}
        >
          Accept the tools
        </Button>
      )}
      <Button
        icon="refresh"
        isPending={refreshing.isPending}
        onPress={() => refreshing.mutate(server.id)}
      >
        Read again
      </Button>
      <Button kind="danger" onPress={() => setDeleting(true)}>
        Delete
      </Button>
      {isDeleting && <DeleteServerDialog server={server} onClose={() => setDeleting(false)} />}
    </div>
  );
};
