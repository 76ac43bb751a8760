import { paceByDelay } from '../scripted-model.ts';
import type { WriteStrike } from '../strike-at-writes.ts';
import type { Step } from './open-step-watch.ts';

/** A strike during one debate. SIGSTOP freezes the process while a second replica continues. */
export type DebateStrike = WriteStrike<Step> & {
  /**
   * Set if the process is killed before it has sent the first event, so that the client may get an
   * error.
   */
  mayMissAnswer?: true;
};

export const NO_STRIKE: DebateStrike = {
  name: 'undisturbed',
  targets: [],
  signal: 'SIGKILL',
  after: [],
  repeats: 'exactly',
};

/**
 * Returns all strikes: a kill after each database write of the debate without faults, a kill before
 * the next write, and others such as freezing a process or killing a dependency.
 */
export const createStrikes = (steps: readonly Step[]): DebateStrike[] => {
  const writes = [...Map.groupBy(steps, ({ write }) => write).values()].map((write) => ({
    seq: write.at(-1)!.seq,
    name: write.map((step) => describeStep(step, steps)).join(' and '),
  }));
  const middle = steps.find(({ kind, round }) => kind === 'agent-completed' && round === 2)!.seq;
  return [
    ...writes.map(({ seq, name }, index) =>
      strikeAgents(`kill agents after ${name}`, [seq], index === 0 ? { mayMissAnswer: true } : {}),
    ),
    ...writes
      .slice(0, -1)
      .map(({ seq, name }) =>
        strikeAgents(`kill agents before the step after ${name}`, [seq], { block: seq }),
      ),
    strikeAgents('kill agents three times', [middle - 4, middle, middle + 4]),
    strikeAgents('stop agents', [middle], { signal: 'SIGTERM', repeats: 'at most' }),
    freezeAgents('at the start of a round', middle - 1),
    freezeAgents('in calls', middle),
    freezeAgents('in a write', middle, { block: middle }),
    killDependency('postgres', middle),
    killDependency('llm-gateway', middle),
    killDependency('ledger', middle),
    killDependency('nats', middle),
  ];
};

const storesStep =
  (seq: number) =>
  (step: Step): boolean =>
    step.seq === seq;

const strikeAgents = (
  name: string,
  seqs: readonly number[],
  overrides: Partial<DebateStrike> = {},
): DebateStrike => ({
  name,
  targets: ['agents'],
  signal: 'SIGKILL',
  after: seqs.map(storesStep),
  repeats: 'exactly',
  ...overrides,
});

const freezeAgents = (
  moment: string,
  seq: number,
  overrides: Partial<DebateStrike> = {},
): DebateStrike =>
  strikeAgents(`freeze agents ${moment}, with a replica`, [seq], {
    signal: 'SIGSTOP',
    ...overrides,
  });

/** Kills a service on which the debate depends, while calls are in flight. */
const killDependency = (target: DebateStrike['targets'][number], seq: number): DebateStrike =>
  strikeAgents(`kill ${target}`, [seq], {
    targets: [target],
    repeats: 'at most',
    isDependency: true,
    pace: paceByDelay,
  });

const describeStep = ({ kind, round, seq }: Step, steps: readonly Step[]): string => {
  if (round === 0) return kind;
  const index = steps.filter((one) => one.kind === kind && one.round === round && one.seq <= seq);
  const label = kind === 'agent-completed' ? `answer ${index.length}` : kind;
  return `${label} of round ${round}`;
};
