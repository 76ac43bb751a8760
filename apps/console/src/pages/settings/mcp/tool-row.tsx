import { Link } from '@tanstack/react-router';
import { Badge } from '../../../ui/page-state.tsx';
import type { Tone } from '../../../ui/page-state.tsx';
import css from './mcp.module.css';
import type { McpTool } from './mcp-servers-query.ts';
import { splitChange } from './split-change.ts';

const STATES: Readonly<Record<McpTool['state'], { label: string; tone: Tone }>> = {
  accepted: { label: 'Accepted', tone: 'good' },
  added: { label: 'New', tone: 'info' },
  changed: { label: 'Changed', tone: 'warn' },
  removed: { label: 'Removed', tone: 'neutral' },
  unusable: { label: 'Unusable', tone: 'bad' },
};

/** A tool; if the server lists it differently, with both definitions side by side. */
export const ToolRow = ({ tool }: { tool: McpTool }) => {
  const { id, name, state, accepted, listed, problem } = tool;
  const { label, tone } = STATES[state];
  return (
    <li className={css.tool}>
      <div className={css.name}>
        <Link to="/settings/tools/$toolId" params={{ toolId: id }}>
          <code>{name}</code>
        </Link>
        <Badge tone={tone}>{label}</Badge>
      </div>
      {problem && <p className={css.problem}>{problem}</p>}
      {state === 'changed' && accepted && listed ? (
        <Comparison accepted={accepted} listed={listed} />
      ) : (
        <p className="muted">{(listed ?? accepted)?.description}</p>
      )}
      {state === 'added' && listed && (
        <pre className={css.parameters} tabIndex={0} aria-label={`Arguments of ${name}`}>
          {toText(listed)}
        </pre>
      )}
    </li>
  );
};

type Definition = NonNullable<McpTool['listed']>;

/** The schema of the arguments, and the headers in which some of them are sent, too. */
const toText = ({ parameters, headerParams }: Definition): string =>
  [
    JSON.stringify(parameters, null, 2),
    ...headerParams.map(({ path, header }) => `${path.join('.')} is sent in the header ${header}`),
  ].join('\n');

/** Both definitions, in which what differs is marked; the arguments only if they differ. */
const Comparison = ({ accepted, listed }: { accepted: Definition; listed: Definition }) => {
  const hasParameters = toText(accepted) !== toText(listed);
  const sides = [
    { title: 'As you accepted it', definition: accepted, other: listed },
    { title: 'As the server lists it now', definition: listed, other: accepted },
  ];
  return (
    <>
      <div className={css.comparison}>
        {sides.map(({ title, definition, other }) => (
          <section key={title} className={css.definition} aria-label={title}>
            <h4>{title}</h4>
            <p>
              <Marked text={definition.description} other={other.description} />
            </p>
            {hasParameters && (
              <pre tabIndex={0}>
                <Marked text={toText(definition)} other={toText(other)} />
              </pre>
            )}
          </section>
        ))}
      </div>
      {!hasParameters && <p className="muted">The schema of its arguments is as it was.</p>}
    </>
  );
};

const Marked = ({ text, other }: { text: string; other: string }) => {
  const { before, changed, after } = splitChange(text, other);
  return (
    <>
      {before}
      {changed !== '' && <mark>{changed}</mark>}
      {after}
    </>
  );
};
