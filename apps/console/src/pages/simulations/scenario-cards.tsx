import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from '../../ui/button.tsx';
import { chartColor } from '../../ui/chart.tsx';
import { Badge } from '../../ui/page-state.tsx';
import { Section } from '../../ui/page.tsx';
import { notifyError } from '../../ui/toast.tsx';
import { FIGURES, formatChange, formatFigure, readNumber } from './figure.ts';
import type { FigureName, FormatMoney } from './figure.ts';
import { describeParameters } from './parameters.ts';
import { ScenarioDialog } from './scenario-dialog.tsx';
import { changeScenario, refreshSimulation } from './simulations-query.ts';
import type { Scenario, Simulation, State } from './simulations-query.ts';
import css from './simulations.module.css';

type ScenarioCardsProps = {
  simulation: Simulation;
  states: readonly State[];
  formatMoney: FormatMoney;
  /** False if the simulation is over, or the key may only read. */
  canChange: boolean;
};

/** The scenarios side by side, each with its world and its last figures. */
export const ScenarioCards = (props: ScenarioCardsProps) => {
  const { simulation, canChange } = props;
  const [editing, setEditing] = useState<Scenario | 'new'>();
  return (
    <Section
      title="Scenarios"
      intro={
        'The same company in different worlds. They share all chance, so they differ by their ' +
        'parameters only.'
      }
      actions={
        canChange && (
          <Button icon="plus" onPress={() => setEditing('new')}>
            Add a scenario
          </Button>
        )
      }
    >
      {simulation.scenarios.length === 0 ? (
        <p className="muted">
          There is none yet. Add one, or play a turn: the scenario “Baseline” is then made, with the
          world as the model has it.
        </p>
      ) : (
        <ul className={css.cards}>
          {simulation.scenarios.map((scenario, index) => (
            <ScenarioCard
              key={scenario.id}
              {...props}
              scenario={scenario}
              index={index}
              onEdit={() => setEditing(scenario)}
            />
          ))}
        </ul>
      )}
      {editing !== undefined && (
        <ScenarioDialog
          simulation={simulation}
          scenario={editing === 'new' ? undefined : editing}
          onClose={() => setEditing(undefined)}
        />
      )}
    </Section>
  );
};

type ScenarioCardProps = ScenarioCardsProps & {
  scenario: Scenario;
  index: number;
  onEdit: () => void;
};

const ScenarioCard = (props: ScenarioCardProps) => {
  const { scenario, index, states, formatMoney, canChange, onEdit } = props;
  const own = states.filter(({ scenarioId }) => scenarioId === scenario.id);
  return (
    <li className={css.card} data-active={scenario.isActive}>
      <div className={css.cardHead}>
        <span
          className={css.dot}
          style={{ '--color': `var(${chartColor(index)})` } as object}
          aria-hidden="true"
        />
        <h3>{scenario.name}</h3>
        <Badge tone={scenario.isActive ? 'good' : 'neutral'}>
          {scenario.isActive ? 'Active' : 'Paused'}
        </Badge>
      </div>
      {scenario.description !== null && <p className="muted">{scenario.description}</p>}
      <Parameters scenario={scenario} />
      <CardFigures last={own.at(-1)} before={own.at(-2)} formatMoney={formatMoney} />
      {canChange && <CardActions scenario={scenario} onEdit={onEdit} />}
    </li>
  );
};

const Parameters = ({ scenario }: { scenario: Scenario }) => {
  const { parameters, ignoredParameters, forkedAtTurn } = scenario;
  const described = describeParameters(parameters);
  return (
    <ul className={css.tags} aria-label={`World of ${scenario.name}`}>
      {described.length === 0 && <li className={css.tag}>World as the model has it</li>}
      {described.map(({ name, text }) => (
        <li key={name} className={css.tag}>
          {name} {text}
        </li>
      ))}
      {forkedAtTurn > 0 && <li className={css.tag}>Began after turn {forkedAtTurn}</li>}
      {ignoredParameters.length > 0 && (
        <li className={css.tag}>Only for the agents: {ignoredParameters.join(', ')}</li>
      )}
    </ul>
  );
};

const CARD_FIGURES = [
  'revenue',
  'cash',
  'burn',
  'marketShare',
  'employees',
  'valuation',
] as const satisfies FigureName[];

/** Figures whose relative change says something; a burn can change its sign. */
const COMPARED: ReadonlySet<FigureName> = new Set(['revenue', 'cash', 'employees', 'valuation']);

type CardFiguresProps = {
  last: State | undefined;
  before: State | undefined;
  formatMoney: FormatMoney;
};

const CardFigures = ({ last, before, formatMoney }: CardFiguresProps) => {
  if (last === undefined) return <p className="muted">Not played yet.</p>;
  const { companyState, turn } = last;
  return (
    <>
      <dl className={css.figures}>
        {CARD_FIGURES.map((name) => {
          const value = readNumber(companyState, name);
          const earlier = before ? readNumber(before.companyState, name) : null;
          const { label, unit } = FIGURES[name];
          return (
            <div key={name} className={css.figure}>
              <dt title={unit}>
                {label}
                {unit.startsWith('per') && ` ${unit}`}
              </dt>
              <dd>
                {formatFigure(name, value, formatMoney)}
                {COMPARED.has(name) && value !== null && earlier !== null && earlier !== 0 && (
                  <span className={css.change}>{formatChange(value / earlier - 1)}</span>
                )}
              </dd>
            </div>
          );
        })}
      </dl>
      <p className={css.note}>
        After turn {turn}
        {before && `, with the change since turn ${before.turn}`}
        {(companyState as { insolvent?: unknown }).insolvent === true && (
          <>
            {' '}
            <Badge tone="bad">Insolvent</Badge>
          </>
        )}
      </p>
    </>
  );
};

type CardActionsProps = { scenario: Scenario; onEdit: () => void };

const CardActions = ({ scenario, onEdit }: CardActionsProps) => {
  const client = useQueryClient();
  const switching = useMutation({
    mutationFn: () => changeScenario(scenario, { isActive: !scenario.isActive }),
    onSuccess: () => refreshSimulation(client, scenario.simulationId),
    onError: notifyError,
  });
  return (
    <div className={css.buttons} data-print="hidden">
      <Button
        isPending={switching.isPending}
        onPress={() => switching.mutate()}
        aria-label={`${scenario.isActive ? 'Pause' : 'Resume'} ${scenario.name}`}
      >
        {scenario.isActive ? 'Pause' : 'Resume'}
      </Button>
      <Button kind="quiet" onPress={onEdit} aria-label={`Change ${scenario.name}`}>
        Change
      </Button>
    </div>
  );
};
