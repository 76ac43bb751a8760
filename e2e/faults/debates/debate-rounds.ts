import type { Disturbance } from './run-debate.ts';
import { freezeAfter, killAfter, killAfterEach, killUnder, stopAfter } from './disturbances.ts';
import type { Step } from './open-step-watch.ts';

export type DebateRound = {
  name: string;
  disturbance: Disturbance;
  /**
   * Set if the process is killed before the first event was sent, so that the client may get an
   * error.
   */
  mayMissAnswer: boolean;
};

/**
 * Returns all faults: a kill after each database write of the debate without faults, a kill before
 * the next write, and the others, such as freezing a process or killing a dependency.
 */
export const toRounds = (steps: readonly Step[]): DebateRound[] => {
  const writes = [...Map.groupBy(steps, ({ write }) => write).values()].map((write) => ({
    seq: write.at(-1)!.seq,
    name: write.map((step) => describe(step, steps)).join(' and '),
  }));
  const round = (name: string, disturbance: Disturbance, more: Partial<DebateRound> = {}) => ({
    name,
    disturbance,
    mayMissAnswer: false,
    ...more,
  });
  const answered = steps.find(({ kind, round: at }) => kind === 'agent-completed' && at === 2)!.seq;
  return [
    ...writes.map(({ seq, name }, index) =>
      round(`kill agents after ${name}`, killAfter(seq, { isNextHeld: false }), {
        mayMissAnswer: index === 0,
      }),
    ),
    ...writes
      .slice(0, -1)
      .map(({ seq, name }) =>
        round(`kill agents before what follows ${name}`, killAfter(seq, { isNextHeld: true })),
      ),
    round('kill agents three times', killAfterEach([answered - 4, answered, answered + 4])),
    round('stop agents', stopAfter(answered)),
    round(
      'freeze agents as a round begins, beside a replica',
      freezeAfter(answered - 1, { isWriting: false }),
    ),
    round('freeze agents in calls, beside a replica', freezeAfter(answered, { isWriting: false })),
    round('freeze agents in a write, beside a replica', freezeAfter(answered, { isWriting: true })),
    round('kill postgres', killUnder('postgres', answered)),
    round('kill llm-gateway', killUnder('llm-gateway', answered)),
    round('kill ledger', killUnder('ledger', answered)),
    round('kill nats', killUnder('nats', answered)),
  ];
};

const describe = ({ kind, round, seq }: Step, steps: readonly Step[]): string => {
  if (round === 0) return kind;
  const index = steps.filter((one) => one.kind === kind && one.round === round && one.seq <= seq);
  const which = kind === 'agent-completed' ? `answer ${index.length}` : kind;
  return `${which} of ${round}`;
};
