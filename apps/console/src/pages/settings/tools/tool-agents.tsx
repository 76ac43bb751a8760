import { useQuery } from '@tanstack/react-query';
import { canUse, useSession } from '../../../app/session.ts';
import { useChange } from '../../../app/use-change.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { Section } from '../../../ui/page.tsx';
import { notifyError } from '../../../ui/toast.tsx';
import css from '../settings.module.css';
import { agentsQuery, linkTool, toolQuery, unlinkTool } from './tools-query.ts';
import type { Tool } from './tools-query.ts';

type ToolAgentsProps = { tool: Tool; mayChange: boolean };

/** The agents that may call the tool; gives it to another one or takes it away. */
export const ToolAgents = ({ tool, mayChange }: ToolAgentsProps) => {
  const changes = [toolQuery(tool.id).queryKey];
  const unlinking = useChange({
    run: (agentId: string) => unlinkTool(tool.id, agentId),
    changes,
    onError: notifyError,
  });
  return (
    <Section
      title="Agents that may call it"
      actions={mayChange && <AddAgent tool={tool} changes={changes} />}
    >
      {tool.agents.length === 0 && <p className="muted">No agent may call it yet.</p>}
      <ul className={css.items}>
        {tool.agents.map(({ id, name }) => (
          <li key={id} className={css.item}>
            <span>{name}</span>
            {mayChange && (
              <IconButton
                icon="close"
                label={`Take the tool from ${name}`}
                onPress={() => unlinking.mutate(id)}
              />
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
};

type AddAgentProps = { tool: Tool; changes: readonly (readonly unknown[])[] };

const AddAgent = ({ tool, changes }: AddAgentProps) => {
  const mayList = canUse(useSession(), ['agents:read']);
  const { data: agents = [] } = useQuery({ ...agentsQuery, enabled: mayList });
  const linking = useChange({
    run: (agentId: string) => linkTool(tool.id, agentId),
    changes,
    onError: notifyError,
  });
  const linked = new Set(tool.agents.map(({ id }) => id));
  const others = agents.filter(({ id }) => !linked.has(id));
  if (others.length === 0) return null;
  return (
    <Menu
      label="Agents"
      trigger={<Button icon="plus">Give it to an agent</Button>}
      actions={others.map(({ id, name }) => ({
        id,
        label: name,
        onAction: () => linking.mutate(id),
      }))}
    />
  );
};
