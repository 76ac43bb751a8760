import type { FaultInjector } from './run-debate.ts';
import {
  freezeAfter,
  killAfter,
  killAfterEach,
  killDependency,
  stopAfter,
} from './fault-injectors.ts';
import type { Step } from './open-step-watch.ts';

export type DebateFault = {
  name: string;
  injector: FaultInjector;
  /**
   * Set if the process is killed before it has sent the first event, so that the client may get an
   * error.
   */
  mayMissAnswer: boolean;
};

/**
 * Returns all faults: a kill after each database write of the debate without faults, a kill before
 * the next write, and faults such as freezing a process or killing a dependency.
 */
export const createFaults = (steps: readonly Step[]): DebateFault[] => {
  const writes = [...Map.groupBy(steps, ({ write }) => write).values()].map((write) => ({
    seq: write.at(-1)!.seq,
    name: write.map((step) => describeStep(step, steps)).join(' and '),
  }));
  const toFault = (
    name: string,
    injector: FaultInjector,
    overrides: Partial<DebateFault> = {},
  ) => ({
    name,
    injector,
    mayMissAnswer: false,
    ...overrides,
  });
  const answerSeq = steps.find(
    ({ kind, round: at }) => kind === 'agent-completed' && at === 2,
  )!.seq;
  return [
    ...writes.map(({ seq, name }, index) =>
      toFault(`kill agents after ${name}`, killAfter(seq, { isNextBlocked: false }), {
        mayMissAnswer: index === 0,
      }),
    ),
    ...writes
      .slice(0, -1)
      .map(({ seq, name }) =>
        toFault(
          `kill agents before the step after ${name}`,
          killAfter(seq, { isNextBlocked: true }),
        ),
      ),
    toFault('kill agents three times', killAfterEach([answerSeq - 4, answerSeq, answerSeq + 4])),
    toFault('stop agents', stopAfter(answerSeq)),
    toFault(
      'freeze agents at the start of a round, with a replica',
      freezeAfter(answerSeq - 1, { isWriting: false }),
    ),
    toFault('freeze agents in calls, with a replica', freezeAfter(answerSeq, { isWriting: false })),
    toFault(
      'freeze agents in a write, with a replica',
      freezeAfter(answerSeq, { isWriting: true }),
    ),
    toFault('kill postgres', killDependency('postgres', answerSeq)),
    toFault('kill llm-gateway', killDependency('llm-gateway', answerSeq)),
    toFault('kill ledger', killDependency('ledger', answerSeq)),
    toFault('kill nats', killDependency('nats', answerSeq)),
  ];
};

const describeStep = ({ kind, round, seq }: Step, steps: readonly Step[]): string => {
  if (round === 0) return kind;
  const index = steps.filter((one) => one.kind === kind && one.round === round && one.seq <= seq);
  const label = kind === 'agent-completed' ? `answer ${index.length}` : kind;
  return `${label} of round ${round}`;
};
