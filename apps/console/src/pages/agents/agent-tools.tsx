import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { keysOfLink, linkTool, unlinkTool } from '../../api/tool-links.ts';
import { canUse, useSession } from '../../app/session.ts';
import { useChange } from '../../app/use-change.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Cards } from '../../ui/card.tsx';
import { EmptyState, Failure, Skeleton } from '../../ui/page-state.tsx';
import { Section } from '../../ui/page.tsx';
import { notify, notifyError } from '../../ui/toast.tsx';
import { ToolState } from '../settings/tools/tool-state.tsx';
import { useAgent } from './agents-query.ts';
import type { Agent } from './agents-query.ts';
import css from './agents.module.css';
import { LinkForm } from './link-form.tsx';
import { allToolsQuery, linkedToolsQuery } from './linked-tools-query.ts';
import type { Tool } from './linked-tools-query.ts';

const routeApi = getRouteApi('/shell/agents/$agentId/tools');

/** The tools that the agent may call in a chat. */
export const AgentTools = () => {
  const { agentId } = routeApi.useParams();
  const agent = useAgent(agentId);
  const canChange = canUse(useSession(), ['tools']);
  const tools = useQuery(linkedToolsQuery(agentId));
  return (
    <Section
      title="Tools"
      intro={
        `Endpoints that ${agent.name} may call during a chat. Each call is signed, checked ` +
        'against its schema and shown with the answer.'
      }
    >
      {tools.isPending ? (
        <Skeleton lines={4} />
      ) : tools.isError ? (
        <Failure error={tools.error} onRetry={() => void tools.refetch()} />
      ) : (
        <>
          {canChange && <LinkTool agent={agent} linked={tools.data} />}
          {tools.data.length === 0 ? (
            <NoTools agent={agent} />
          ) : (
            <Cards>
              {tools.data.map((tool) => (
                <ToolCard key={tool.id} agent={agent} tool={tool} canChange={canChange} />
              ))}
            </Cards>
          )}
        </>
      )}
    </Section>
  );
};

const NoTools = ({ agent }: { agent: Agent }) => (
  <EmptyState icon="agents" title={`${agent.name} has no tools`}>
    <p>
      A tool is an https endpoint that answers with JSON, such as a stock list or a price.{' '}
      <Link to="/settings/tools">Register it for the workspace</Link>, or{' '}
      <Link to="/settings/mcp-servers">add an MCP server</Link> that has tools, then link it here.
    </p>
  </EmptyState>
);

type LinkToolProps = { agent: Agent; linked: readonly Tool[] };

const LinkTool = ({ agent, linked }: LinkToolProps) => {
  const all = useQuery(allToolsQuery);
  const linking = useChange({
    run: linkTool,
    changes: keysOfLink,
    onDone: () => notify('The tool is linked'),
    onError: notifyError,
  });
  return (
    <LinkForm
      label="Tool of the workspace"
      action="Link the tool"
      all={all.data ?? []}
      linked={linked}
      isPending={linking.isPending}
      onLink={(toolId) => linking.mutate({ toolId, agentId: agent.id })}
    />
  );
};

type ToolCardProps = { agent: Agent; tool: Tool; canChange: boolean };

const ToolCard = ({ agent, tool, canChange }: ToolCardProps) => {
  const { id, name, description, url } = tool;
  const unlinking = useChange({
    run: unlinkTool,
    changes: keysOfLink,
    onDone: () => notify(`${name} is unlinked`),
    onError: notifyError,
  });
  return (
    <Card title={<code>{name}</code>} badge={<ToolState tool={tool} />}>
      <p>{description}</p>
      <p className={css.address}>{url}</p>
      {canChange && (
        <div className={css.buttons}>
          <Button
            aria-label={`Unlink ${name}`}
            isPending={unlinking.isPending}
            onPress={() => unlinking.mutate({ toolId: id, agentId: agent.id })}
          >
            Unlink
          </Button>
        </div>
      )}
    </Card>
  );
};
