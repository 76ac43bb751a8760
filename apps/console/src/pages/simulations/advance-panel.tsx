import { useEffect, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { formatDuration } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/page.tsx';
import { formatShare } from './figure.ts';
import type { ScenarioStep } from './advance-progress.ts';
import type { Simulation } from './simulations-query.ts';
import css from './simulations.module.css';
import { useAdvance } from './use-advance.ts';

/** Plays the next turn, and shows how far each scenario is. */
export const AdvancePanel = ({ simulation }: { simulation: Simulation }) => {
  const { id, currentTurn, horizonTurns, turnUnit, scenarios } = simulation;
  const { isRunning, progress, play } = useAdvance(id);
  const areAllPaused = scenarios.length > 0 && scenarios.every(({ isActive }) => !isActive);
  const isLast = horizonTurns === currentTurn + 1;
  return (
    <Section
      title={`Turn ${currentTurn + 1}${horizonTurns === null ? '' : ` of ${horizonTurns}`}`}
      intro={
        areAllPaused
          ? 'All scenarios are paused. Resume one to play.'
          : `The agents decide in each active scenario, then the model computes one ${turnUnit}.` +
            (isLast ? ' It is the last turn: the report is written, too.' : '')
      }
      actions={
        <Button
          kind="primary"
          icon="playground"
          isPending={isRunning}
          isDisabled={areAllPaused}
          onPress={() => play(currentTurn)}
        >
          {`Play turn ${currentTurn + 1}`}
        </Button>
      }
    >
      {isRunning && progress && (
        <div className={css.progress}>
          <Steps scenarios={progress.scenarios} />
          <p className={css.note}>
            <Elapsed since={progress.startedAt} /> Decisions of language models can take some
            minutes. You can leave this page: the turn is completed without it.
          </p>
        </div>
      )}
    </Section>
  );
};

const STEPS = {
  deciding: { text: 'The agents decide', icon: 'agents' },
  computing: { text: 'Decided, computing', icon: 'refresh' },
  ready: { text: 'Computed', icon: 'passed' },
} as const;

const Steps = ({ scenarios }: { scenarios: readonly ScenarioStep[] }) => (
  <ul className={css.steps} aria-live="polite">
    {scenarios.length === 0 && <li className={css.step}>Waiting for the turn to begin</li>}
    {scenarios.map((scenario) => {
      const { text, icon } = STEPS[scenario.step];
      return (
        <li key={scenario.id} className={css.step} data-step={scenario.step}>
          <Icon name={icon} />
          <span className={css.stepName}>{scenario.name}</span>
          <span className="muted">
            {text}
            {describeFinding(scenario)}
          </span>
        </li>
      );
    })}
  </ul>
);

const describeFinding = ({ isFallback, convergence, absentAgents = [] }: ScenarioStep): string => {
  const absent = absentAgents.length === 0 ? '' : `, without ${absentAgents.join(', ')}`;
  if (isFallback) return ', the company keeps its course';
  return convergence === undefined ? '' : `, convergence ${formatShare(convergence)}${absent}`;
};

const TICK_MS = 1_000;

const Elapsed = ({ since }: { since: number }) => {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.round((now - since) / TICK_MS));
  return (
    <span className={css.elapsed}>{formatDuration(seconds * TICK_MS).replace('.0 s', ' s')}</span>
  );
};
