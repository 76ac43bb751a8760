import { setTimeout as pause } from 'node:timers/promises';
import type { InjectedFault } from './judge-replay.ts';
import type { CommitWatch } from './open-commit-watch.ts';
import type { FaultSystem } from './open-running-system.ts';
import type { Pace } from './scripted-model.ts';
import { requireRestart, strike } from './strike.ts';
import type { Strike } from './strike.ts';
import { until, within } from './until.ts';

/** A debate or turn that is running, while its writes are observed. */
export type Stage<Write> = {
  system: FaultSystem;
  watch: CommitWatch<Write>;
  /** Keys of the model calls that were received but whose outcome is not stored. */
  findUnstoredCalls: () => string[];
};

/** One row of a table of strikes at defined writes. */
export type WriteStrike<Write> = Strike & {
  name: string;
  /**
   * The writes after whose commit the processes are signalled. After each signal the run waits for
   * the restart.
   */
  after: readonly ((write: Write) => boolean)[];
  /**
   * Set if the strike is as late as possible: all data of the next write is complete, and the write
   * is blocked. The value is passed to `block` of the watch before the run starts.
   */
  block?: string | number;
  /** `exactly` if the signalled process made the calls itself, and is killed. */
  repeats: InjectedFault['repeats'];
  /**
   * Set if only calls that arrived before the strike count as in flight. Otherwise calls that
   * arrive within the next 300 ms count too.
   */
  isDependency?: true;
  /** Set if the strike waits until a model call is in flight. */
  isInFlight?: true;
  /** By default the pace of the part. */
  pace?: Pace;
};

export type Injection = {
  injectedFaults: InjectedFault[];
  /** Time of the last strike, in milliseconds since the epoch; undefined if there was none. */
  at: number | undefined;
  violations?: string[];
};

/** Time within which requests that a killed process has sent still arrive, in milliseconds. */
export const ARRIVAL_WAIT_MS = 300;
/**
 * Time limit of a wait for a write; longer than all leases of a run whose process is killed
 * repeatedly.
 */
const WRITE_LIMIT_MS = 60_000;

/** Strikes at each of the writes, and waits for the restart after each strike. */
export const strikeAtWrites = async <Write>(
  planned: WriteStrike<Write>,
  { system, watch, findUnstoredCalls }: Stage<Write>,
): Promise<Injection> => {
  const injectedFaults: InjectedFault[] = [];
  let lastAt: number | undefined;
  for (const matches of planned.after) {
    const { at, untilRestarted } = await strike(system, planned, async () => {
      await untilWritten(watch, matches);
      if (planned.block !== undefined) await untilBlocked(watch);
      if (planned.isInFlight) await until(WRITE_LIMIT_MS, () => findUnstoredCalls().length > 0);
    });
    lastAt = at;
    if (!planned.isDependency) await pause(ARRIVAL_WAIT_MS);
    injectedFaults.push({ unstoredCalls: findUnstoredCalls(), repeats: planned.repeats });
    if (planned.block !== undefined) await watch.unblock();
    await requireRestart(untilRestarted, planned);
  }
  return { injectedFaults, at: lastAt };
};

export const untilWritten = <Write>(
  { whenCommitted }: CommitWatch<Write>,
  matches: (write: Write) => boolean,
): Promise<Write> => within(WRITE_LIMIT_MS, whenCommitted(matches), 'the write before the strike');

export const untilBlocked = ({ whenBlocked }: CommitWatch<unknown>): Promise<void> =>
  within(WRITE_LIMIT_MS, whenBlocked(), 'the write at which the strike is made');
