import { useQuery } from '@tanstack/react-query';
import { keysOfLink, linkTool, unlinkTool } from '../../../api/tool-links.ts';
import { canUse, useSession } from '../../../app/session.ts';
import { useChange } from '../../../app/use-change.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { Section } from '../../../ui/page.tsx';
import { notifyError } from '../../../ui/toast.tsx';
import css from '../settings.module.css';
import { agentsQuery } from './tools-query.ts';
import type { Tool } from './tools-query.ts';

type ToolAgentsProps = { tool: Tool; mayChange: boolean };

/** The agents that may call the tool; gives it to another one or takes it away. */
export const ToolAgents = ({ tool, mayChange }: ToolAgentsProps) => {
  const unlinking = useChange({ run: unlinkTool, changes: keysOfLink, onError: notifyError });
  return (
    <Section title="Agents that may call it" actions={mayChange && <AddAgent tool={tool} />}>
      {tool.agents.length === 0 && <p className="muted">No agent may call it yet.</p>}
      <ul className={css.items}>
        {tool.agents.map(({ id, name }) => (
          <li key={id} className={css.item}>
            <span>{name}</span>
            {mayChange && (
              <IconButton
                icon="close"
                label={`Take the tool from ${name}`}
                onPress={() => unlinking.mutate({ toolId: tool.id, agentId: id })}
              />
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
};

const AddAgent = ({ tool }: { tool: Tool }) => {
  const mayList = canUse(useSession(), ['agents:read']);
  const { data: agents = [] } = useQuery({ ...agentsQuery, enabled: mayList });
  const linking = useChange({ run: linkTool, changes: keysOfLink, onError: notifyError });
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
        onAction: () => linking.mutate({ toolId: tool.id, agentId: id }),
      }))}
    />
  );
};
