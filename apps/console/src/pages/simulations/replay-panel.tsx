import { useMutation } from '@tanstack/react-query';
import { describeError } from '../../api/api-error.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/page-state.tsx';
import { Section } from '../../ui/page.tsx';
import { replaySimulation } from './simulations-query.ts';
import type { Simulation } from './simulations-query.ts';
import css from './simulations.module.css';

type ReplayResult = Awaited<ReturnType<typeof replaySimulation>>;

/** Computes all turns again on the server and compares the hashes of their states. */
export const ReplayPanel = ({ simulation }: { simulation: Simulation }) => {
  const replaying = useMutation({ mutationFn: replaySimulation });
  return (
    <Section
      title="Replay"
      intro={
        'Computes every turn again from what was decided, without a language model, and ' +
        'compares the hash of each state.'
      }
      actions={
        <Button
          icon="refresh"
          isPending={replaying.isPending}
          onPress={() => replaying.mutate(simulation.id)}
        >
          Replay
        </Button>
      }
    >
      <div aria-live="polite">
        {replaying.isError && <Notice tone="bad">{describeError(replaying.error)}</Notice>}
        {replaying.data && <Verdict result={replaying.data} simulation={simulation} />}
      </div>
    </Section>
  );
};

type VerdictProps = { result: ReplayResult; simulation: Simulation };

const Verdict = ({ result: { matches, turns, mismatches }, simulation }: VerdictProps) => {
  const nameOf = (id: string): string =>
    simulation.scenarios.find((one) => one.id === id)?.name ?? id;
  const states = `${turns} turn${turns === 1 ? '' : 's'}`;
  return (
    <>
      <p className={css.verdict} data-tone={matches ? 'good' : 'bad'}>
        <Icon name={matches ? 'passed' : 'failed'} />
        {matches
          ? `Matches: ${states} computed again with the same hashes`
          : `Differs: ${states} computed again`}
      </p>
      {mismatches.length > 0 && (
        <ul className={css.mismatches}>
          {mismatches.map(({ scenarioId, turn }) => (
            <li key={`${scenarioId}:${turn}`}>
              Turn {turn} of {nameOf(scenarioId)} has another hash.
            </li>
          ))}
        </ul>
      )}
    </>
  );
};
