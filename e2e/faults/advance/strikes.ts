import { paceByDelay } from '../scripted-model.ts';
import type { WriteStrike } from '../strike-at-writes.ts';
import type { Write, WriteKind } from './open-write-watch.ts';

/** A strike while a client advances a simulation. */
export type AdvanceStrike = WriteStrike<Write> & {
  /**
   * Set if the strike interrupts model calls, so that a panel may decide without some of its
   * agents.
   */
  mayMissAgents?: true;
};

type WriteMatcher = (write: Write) => boolean;

const isKind =
  (expected: WriteKind): WriteMatcher =>
  ({ kind }) =>
    kind === expected;

const isDecisionOf =
  (expected: string): WriteMatcher =>
  ({ kind, scenario }) =>
    kind === 'council' && scenario === expected;

const strikeSimulation = (
  name: string,
  after: readonly WriteMatcher[],
  overrides: Partial<AdvanceStrike> = {},
): AdvanceStrike => ({
  name,
  targets: ['simulation'],
  signal: 'SIGKILL',
  after,
  repeats: 'exactly',
  ...overrides,
});

/** Kills the service after it has executed a write of this kind but before the commit. */
const killBefore = (written: string, kind: WriteKind): AdvanceStrike =>
  strikeSimulation(`kill simulation before ${written}`, [isKind('lease')], {
    block: kind,
    pace: async () => {},
  });

/** Signals a process while panels decide. */
const strikeDuringPanels = (name: string, overrides: Partial<AdvanceStrike>): AdvanceStrike =>
  strikeSimulation(name, [isKind('lease')], {
    repeats: 'at most',
    isInFlight: true,
    pace: paceByDelay,
    ...overrides,
  });

export const NO_STRIKE: AdvanceStrike = strikeSimulation('undisturbed', []);

export const ADVANCE_STRIKES: readonly AdvanceStrike[] = [
  strikeSimulation('kill simulation after the lease', [isKind('lease')]),
  strikeSimulation('kill simulation after the first council decision', [isDecisionOf('Calm')]),
  strikeSimulation('kill simulation after the last council decision', [isDecisionOf('Bust')]),
  strikeSimulation('kill simulation after the turn', [isKind('turn')]),
  strikeSimulation('kill simulation after the report', [isKind('report')]),
  killBefore('a council decision is stored', 'council'),
  killBefore('the turn is stored', 'turn'),
  killBefore('the report is stored', 'report'),
  strikeSimulation('kill simulation twice', [isDecisionOf('Calm'), isKind('turn')]),
  strikeDuringPanels('stop simulation', { signal: 'SIGTERM' }),
  strikeDuringPanels('kill agents', { targets: ['agents'] }),
  strikeDuringPanels('kill llm-gateway', { targets: ['llm-gateway'], mayMissAgents: true }),
  strikeDuringPanels('kill ledger', { targets: ['ledger'], mayMissAgents: true }),
  strikeDuringPanels('kill postgres', { targets: ['postgres'] }),
  strikeDuringPanels('kill nats', { targets: ['nats'] }),
  strikeDuringPanels('kill api-gateway', { targets: ['api-gateway'] }),
];
