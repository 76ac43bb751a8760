import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { canUse, useSession } from '../../app/session.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Cards } from '../../ui/card.tsx';
import { Badge, EmptyState, Failure, Skeleton } from '../../ui/page-state.tsx';
import { Section } from '../../ui/page.tsx';
import { notify, notifyError } from '../../ui/toast.tsx';
import { useAgent } from './agents-query.ts';
import type { Agent } from './agents-query.ts';
import css from './agents.module.css';
import { LinkForm } from './link-form.tsx';
import { allToolsQuery, linkedToolsQuery, linkTool, unlinkTool } from './linked-tools-query.ts';
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
      A tool is an https endpoint that answers with JSON, such as a stock list or a price. Register
      it once for the workspace with <code>POST /v1/tools</code>, then link it here.
    </p>
  </EmptyState>
);

/** Loads again what depends on the tools of the agent. */
const useToolChange = (
  agent: Agent,
  change: (toolId: string) => Promise<unknown>,
  done: string,
) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: async () => {
      notify(done);
      await client.invalidateQueries({ queryKey: linkedToolsQuery(agent.id).queryKey });
    },
    onError: notifyError,
  });
};

type LinkToolProps = { agent: Agent; linked: readonly Tool[] };

const LinkTool = ({ agent, linked }: LinkToolProps) => {
  const all = useQuery(allToolsQuery);
  const linking = useToolChange(agent, (id) => linkTool(agent.id, id), 'The tool is linked');
  return (
    <LinkForm
      label="Tool of the workspace"
      action="Link the tool"
      all={all.data ?? []}
      linked={linked}
      isPending={linking.isPending}
      onLink={linking.mutate}
    />
  );
};

type ToolCardProps = { agent: Agent; tool: Tool; canChange: boolean };

const ToolCard = ({ agent, tool, canChange }: ToolCardProps) => {
  const { id, name, description, url, isActive } = tool;
  const unlinking = useToolChange(agent, () => unlinkTool(agent.id, id), `${name} is unlinked`);
  return (
    <Card
      title={<code>{name}</code>}
      badge={<Badge tone={isActive ? 'good' : 'warn'}>{isActive ? 'Active' : 'Paused'}</Badge>}
    >
      <p>{description}</p>
      <p className={css.address}>{url}</p>
      {canChange && (
        <div className={css.buttons}>
          <Button
            aria-label={`Unlink ${name}`}
            isPending={unlinking.isPending}
            onPress={() => unlinking.mutate(id)}
          >
            Unlink
          </Button>
        </div>
      )}
    </Card>
  );
};
