import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { canUse, useSession } from '../../../app/session.ts';
import { useChange } from '../../../app/use-change.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Detail, DetailList } from '../../../ui/detail-list.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { Failure, Skeleton } from '../../../ui/page-state.tsx';
import { Section } from '../../../ui/page.tsx';
import { Time } from '../../../ui/time.tsx';
import { notifyError } from '../../../ui/toast.tsx';
import css from '../settings.module.css';
import { ToolAgents } from './tool-agents.tsx';
import { DeleteToolDialog, EditToolDialog, RotateToolSecretDialog } from './tool-dialogs.tsx';
import { ToolState } from './tool-state.tsx';
import { ToolTestPanel } from './tool-test-panel.tsx';
import { changeTool, toolQuery, TOOLS_KEY } from './tools-query.ts';
import type { Tool } from './tools-query.ts';

const routeApi = getRouteApi('/shell/settings/tools/$toolId');

/** One tool: what it is, which agents may call it, and a test of it. */
export const ToolDetail = () => {
  const { toolId } = routeApi.useParams();
  const tool = useQuery(toolQuery(toolId));
  return (
    <div className={css.sectionList}>
      <Link to="/settings/tools">All tools</Link>
      {tool.isPending ? (
        <Skeleton lines={8} />
      ) : tool.isError ? (
        <Failure error={tool.error} onRetry={() => void tool.refetch()} />
      ) : (
        <Loaded tool={tool.data} />
      )}
    </div>
  );
};

type Opened = 'edit' | 'rotate' | 'delete';

const Loaded = ({ tool }: { tool: Tool }) => {
  const mayChange = canUse(useSession(), ['tools']);
  const [opened, setOpened] = useState<Opened>();
  const close = (): void => setOpened(undefined);
  return (
    <>
      <Section
        title={tool.name}
        intro={tool.description}
        actions={mayChange && <Actions tool={tool} onOpen={setOpened} />}
      >
        <DetailList>
          <Detail name="State" note={describeState(tool)}>
            <ToolState tool={tool} />
          </Detail>
          {tool.mcpServerId && (
            <Detail name="Defined by">
              <Link to="/settings/mcp-servers">an MCP server</Link>
            </Detail>
          )}
          <Detail name="Endpoint">{tool.url}</Detail>
          <Detail name="Created">
            <Time at={tool.createdAt} />
          </Detail>
          <Detail name="Arguments" note="JSON Schema">
            <pre className={css.raw} tabIndex={0} aria-label="Schema of the arguments">
              {JSON.stringify(tool.parameters, undefined, 2)}
            </pre>
          </Detail>
        </DetailList>
      </Section>
      <ToolAgents tool={tool} mayChange={mayChange} />
      {mayChange && <ToolTestPanel toolId={tool.id} />}
      {opened === 'edit' && <EditToolDialog tool={tool} onClose={close} />}
      {opened === 'rotate' && <RotateToolSecretDialog tool={tool} onClose={close} />}
      {opened === 'delete' && <DeleteToolDialog tool={tool} onClose={close} />}
    </>
  );
};

const describeState = ({ isActive, mcpServerId }: Tool): string | undefined => {
  if (!isActive) return 'No agent is offered it.';
  return mcpServerId && 'Agents are offered it while its server lists it as you accepted it.';
};

type ActionsProps = { tool: Tool; onOpen: (opened: Opened) => void };

/** What may be done with the tool; its MCP server defines one that it lists. */
const Actions = ({ tool: { id, isActive, mcpServerId }, onOpen }: ActionsProps) => {
  const switching = useChange({
    run: () => changeTool(id, { isActive: !isActive }),
    changes: [TOOLS_KEY],
    onError: notifyError,
  });
  const switchButton = (
    <Button isPending={switching.isPending} onPress={() => switching.mutate()}>
      {isActive ? 'Switch off' : 'Switch on'}
    </Button>
  );
  if (mcpServerId) return switchButton;
  return (
    <>
      <Button onPress={() => onOpen('edit')}>Change</Button>
      {switchButton}
      <Menu
        label="More actions"
        trigger={<IconButton icon="more" label="More actions" />}
        actions={[
          {
            id: 'rotate',
            label: 'Rotate the secret',
            icon: 'refresh',
            onAction: () => onOpen('rotate'),
          },
          {
            id: 'delete',
            label: 'Delete',
            icon: 'close',
            isDestructive: true,
            onAction: () => onOpen('delete'),
          },
        ]}
      />
    </>
  );
};
