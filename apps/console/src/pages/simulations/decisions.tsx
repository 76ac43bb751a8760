import { formatPercent } from '../../ui/format.ts';
import { Badge } from '../../ui/page-state.tsx';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import type { TableColumn } from '../../ui/table.tsx';
import { AGREEMENT } from '../../ui/agreement.ts';
import { findMoved, formatLever, LEVER_NAMES, LEVERS, readDecision } from './decision.ts';
import type { Decision, LeverName } from './decision.ts';
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

/** What was decided in each turn of one scenario, newest first, then who proposed it and why. */
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
  {
    id: 'turn',
    title: 'Turn',
    isRowHeader: true,
    cell: ({ turn, decision }) => (
      <span className={css.deciders}>
        {formatTurn(turn)} <Exceptions decision={decision} />
      </span>
    ),
  },
  ...moved.map((name) => ({
    id: name,
    title: LEVERS[name].label,
    unit: LEVERS[name].unit,
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
  {
    id: 'convergence',
    title: 'Agreement',
    unit: `${formatPercent(AGREEMENT.byChance)} by chance`,
    cell: ({ decision: { convergence, isFallback } }) =>
      isFallback || convergence === null ? '–' : formatPercent(convergence),
  },
];

const Exceptions = ({
  decision: { absentAgents, isFallback, failure },
}: {
  decision: Decision;
}) => (
  <>
    {isFallback && (
      <span title={failure}>
        <Badge tone="warn">Kept its course</Badge>
      </span>
    )}
    {absentAgents.length > 0 && <Badge>without {absentAgents.join(', ')}</Badge>}
  </>
);

type ProposalsProps = {
  rows: readonly Row[];
  formatTurn: (turn: number) => string;
  formatMoney: FormatMoney;
};

/** What each agent proposed and why, beside what was decided, folded by turn. */
const Proposals = ({ rows, formatTurn, formatMoney }: ProposalsProps) => (
  <Section title="Who proposed what, and why">
    {rows.map(({ id, turn, decision }, index) => (
      <details key={id} className={css.more} open={index === 0}>
        <summary>Turn {formatTurn(turn)}</summary>
        {decision.proposals.length === 0 ? (
          <p className="muted">
            {decision.failure ?? 'Too few agents answered.'} The company kept its levers.
          </p>
        ) : (
          <div className={css.proposals}>
            <Table
              label={`Proposals of turn ${formatTurn(turn)}`}
              columns={toProposalColumns(findMoved([decision]), formatMoney)}
              items={toProposalRows(decision)}
            />
            <Limits decision={decision} formatMoney={formatMoney} />
          </div>
        )}
      </details>
    ))}
  </Section>
);

type Proposal = Pick<Decision['proposals'][number], 'agent' | 'levers' | 'rationale'> & {
  id: string;
  confidence?: number | null;
};

const toProposalRows = ({ levers, proposals }: Decision): readonly Proposal[] => [
  ...proposals.map((proposal, index) => ({ ...proposal, id: `agent-${index}` })),
  {
    id: 'decided',
    agent: 'Decided',
    levers,
    rationale: 'The weighted median, as far as possible.',
  },
];

const toProposalColumns = (
  moved: readonly LeverName[],
  formatMoney: FormatMoney,
): readonly TableColumn<Proposal>[] => [
  {
    id: 'agent',
    title: 'Agent',
    unit: 'confidence',
    isRowHeader: true,
    cell: ({ agent, confidence }) => (
      <>
        <strong>{agent}</strong>{' '}
        {typeof confidence === 'number' && (
          <span className={css.note}>{formatPercent(confidence)}</span>
        )}
      </>
    ),
  },
  ...moved.map((name) => ({
    id: name,
    title: LEVERS[name].label,
    unit: LEVERS[name].unit,
    cell: ({ levers }: Proposal) => formatLever(name, levers[name], formatMoney) || '–',
  })),
  {
    id: 'why',
    title: 'Why',
    cell: ({ rationale }) => <span className={css.why}>{rationale || '–'}</span>,
  },
];

const REASONS: Readonly<Record<string, string>> = {
  bounds: 'beyond its limits',
  cash: 'more than the company can pay',
  unlikely: 'more than ten times off and was not counted',
};

const Limits = ({ decision: { clamped, levers }, formatMoney }: LimitsProps) => (
  <>
    {clamped.flatMap(({ lever, asked, reason }, index) => {
      const name = LEVER_NAMES.find((one) => one === lever);
      if (name === undefined) return [];
      return (
        <p key={index} className={css.note}>
          {LEVERS[name].label}: the agents wanted{' '}
          {formatLever(name, asked ?? undefined, formatMoney) || 'another value'}, which is{' '}
          {REASONS[reason] ?? reason}; it became {formatLever(name, levers[name], formatMoney)}.
        </p>
      );
    })}
  </>
);

type LimitsProps = { decision: Decision; formatMoney: FormatMoney };
