import { Badge } from '../../ui/page-state.tsx';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import type { TableColumn } from '../../ui/table.tsx';
import { findMoved, formatLever, LEVER_NAMES, LEVERS, readDecision } from './decision.ts';
import type { Decision, LeverName } from './decision.ts';
import { formatShare } from './figure.ts';
import type { FormatMoney } from './figure.ts';
import type { Scenario, Simulation, State } from './simulations-query.ts';
import css from './simulations.module.css';
import { createFormatTurn } from './turn-label.ts';

type DecisionsProps = {
  simulation: Pick<Simulation, 'turnUnit'>;
  scenario: Scenario;
  states: readonly State[];
  formatMoney: FormatMoney;
};

type Row = { id: string; turn: number; decision: Decision };

/** What was decided in each turn of one scenario, newest first, and by whom. */
export const Decisions = ({ simulation, scenario, states, formatMoney }: DecisionsProps) => {
  const rows = states
    .filter(({ scenarioId }) => scenarioId === scenario.id)
    .map(({ id, turn, decisions }) => ({ id, turn, decision: readDecision(decisions) }))
    .toReversed();
  if (rows.length === 0) return null;
  const formatTurn = createFormatTurn(simulation.turnUnit);
  const moved = findMoved(rows.map(({ decision }) => decision));
  const others = LEVER_NAMES.filter((name) => !moved.includes(name));
  return (
    <>
      <Section
        title={`Decisions in ${scenario.name}`}
        intro={
          'Each lever is the median of what the agents proposed, weighted by their confidence ' +
          'and limited by what the company can do and pay.'
        }
      >
        <div className={css.wide}>
          <Table
            label={`Decisions in ${scenario.name}`}
            columns={toColumns(moved, formatTurn, formatMoney)}
            items={rows}
          />
        </div>
        {others.length > 0 && (
          <p className={css.note}>
            Not moved in any turn: {others.map((name) => LEVERS[name].label).join(', ')}.
          </p>
        )}
      </Section>
      <Proposals key={rows[0]!.id} rows={rows} formatTurn={formatTurn} formatMoney={formatMoney} />
    </>
  );
};

const toColumns = (
  moved: readonly LeverName[],
  formatTurn: (turn: number) => string,
  formatMoney: FormatMoney,
): readonly TableColumn<Row>[] => [
  { id: 'turn', title: 'Turn', isRowHeader: true, cell: ({ turn }) => formatTurn(turn) },
  { id: 'by', title: 'Decided by', cell: ({ decision }) => <Deciders decision={decision} /> },
  {
    id: 'convergence',
    title: 'Convergence',
    cell: ({ decision: { convergence, isFallback } }) =>
      isFallback || convergence === null ? '–' : formatShare(convergence),
  },
  ...moved.map((name) => ({
    id: name,
    title: `${LEVERS[name].label} (${LEVERS[name].unit})`,
    cell: ({ decision }: Row) => (
      <>
        {formatLever(name, decision.levers[name], formatMoney)}
        {decision.clamped.some(({ lever }) => lever === name) && (
          <>
            {' '}
            <Badge tone="warn">limited</Badge>
          </>
        )}
      </>
    ),
  })),
];

const Deciders = ({ decision }: { decision: Decision }) => {
  const { proposals, absentAgents, isFallback, failure } = decision;
  return (
    <span className={css.deciders}>
      {isFallback ? (
        <span title={failure}>
          <Badge tone="warn">Kept its course</Badge>
        </span>
      ) : (
        proposals.map(({ agent }) => agent).join(', ')
      )}
      {absentAgents.length > 0 && <Badge>without {absentAgents.join(', ')}</Badge>}
    </span>
  );
};

type ProposalsProps = {
  rows: readonly Row[];
  formatTurn: (turn: number) => string;
  formatMoney: FormatMoney;
};

/** The proposal of each agent beside what was decided, folded by turn. */
const Proposals = ({ rows, formatTurn, formatMoney }: ProposalsProps) => (
  <Section title="Who proposed what">
    {rows.map(({ id, turn, decision }, index) => (
      <details key={id} className={css.more} open={index === 0}>
        <summary>Turn {formatTurn(turn)}</summary>
        {decision.proposals.length === 0 ? (
          <p className="muted">
            {decision.failure ?? 'Too few agents answered.'} The company kept its levers.
          </p>
        ) : (
          <Table
            label={`Proposals of turn ${formatTurn(turn)}`}
            columns={toProposalColumns(decision, formatMoney)}
            items={findMoved([decision]).map((name) => ({ id: name }))}
          />
        )}
      </details>
    ))}
  </Section>
);

const REASONS: Readonly<Record<string, string>> = {
  bounds: 'beyond its limits',
  cash: 'more than the company can pay',
  unlikely: 'more than ten times off and was not counted',
};

const toProposalColumns = (
  { levers, proposals, clamped }: Decision,
  formatMoney: FormatMoney,
): readonly TableColumn<{ id: LeverName }>[] => [
  {
    id: 'lever',
    title: 'Lever',
    isRowHeader: true,
    cell: ({ id }) => (
      <>
        {LEVERS[id].label} <span className={css.note}>{LEVERS[id].unit}</span>
      </>
    ),
  },
  {
    id: 'decided',
    title: 'Decided',
    cell: ({ id }) => {
      const clamp = clamped.find(({ lever }) => lever === id);
      return (
        <>
          <strong>{formatLever(id, levers[id], formatMoney)}</strong>
          {clamp && (
            <span className={css.note}>
              {' '}
              asked {formatLever(id, clamp.asked ?? undefined, formatMoney)}, which is{' '}
              {REASONS[clamp.reason] ?? clamp.reason}
            </span>
          )}
        </>
      );
    },
  },
  ...proposals.map(({ agent, confidence, levers: proposed }, index) => ({
    id: `agent-${index}`,
    title: confidence === null ? agent : `${agent} (confidence ${formatShare(confidence)})`,
    cell: ({ id }: { id: LeverName }) => formatLever(id, proposed[id], formatMoney) || '–',
  })),
];
