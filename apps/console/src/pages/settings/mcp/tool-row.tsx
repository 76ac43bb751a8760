import { Badge } from '../../../ui/page-state.tsx';
import type { Tone } from '../../../ui/page-state.tsx';
import css from './mcp.module.css';
import type { McpTool } from './mcp-servers-query.ts';

const STATES: Readonly<Record<McpTool['state'], { label: string; tone: Tone }>> = {
  accepted: { label: 'Accepted', tone: 'good' },
  added: { label: 'New', tone: 'info' },
  changed: { label: 'Changed', tone: 'warn' },
  removed: { label: 'Removed', tone: 'neutral' },
  unusable: { label: 'Unusable', tone: 'bad' },
};

/** A tool; if the server lists it differently, with both definitions side by side. */
export const ToolRow = ({ tool }: { tool: McpTool }) => {
  const { name, state, accepted, listed, problem } = tool;
  const { label, tone } = STATES[state];
  const shown = listed ?? accepted;
  return (
    <li className={css.tool}>
      <div>
        <code>{name}</code> <Badge tone={tone}>{label}</Badge>
      </div>
      {problem && <p className={css.problem}>{problem}</p>}
      {state === 'changed' && accepted && listed ? (
        <div className={css.comparison}>
          <Definition title="As you accepted it" definition={accepted} />
          <Definition title="As the server lists it now" definition={listed} />
        </div>
      ) : (
        <p className="muted">{shown?.description}</p>
      )}
    </li>
  );
};

type ToolDefinition = NonNullable<McpTool['listed']>;

const Definition = ({ title, definition }: { title: string; definition: ToolDefinition }) => (
  <section className={css.definition} aria-label={title}>
    <h4>{title}</h4>
    <p>{definition.description}</p>
    <pre tabIndex={0}>{JSON.stringify(definition.parameters, null, 2)}</pre>
  </section>
);
