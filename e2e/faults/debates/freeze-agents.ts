import { setTimeout as pause } from 'node:timers/promises';
import type { ReplayBench } from '../open-replay-bench.ts';
import { ARRIVAL_WAIT_MS, untilBlocked, untilWritten } from '../strike-at-writes.ts';
import type { Injection, Stage } from '../strike-at-writes.ts';
import type { Step } from './open-step-watch.ts';
import { hashRows, untilEnded } from './read-debate.ts';
import type { DebateStrike } from './strikes.ts';

export type DebateStage = Stage<Step> & { conversationId: string };

/**
 * Time in which a resumed process could still write: longer than a provider call, a lease renewal
 * and a poll.
 */
const RESUMED_WAIT_MS = 3_000;
const REPLICA_LIMIT_MS = 60_000;

/**
 * Freezes the process running the debate for longer than its lease, while a second replica, which
 * must be running, completes the debate. The resumed process must neither write nor call a model.
 * With `block` the process is frozen during a write, which the database completes.
 */
export const freezeAgents = async (
  { after: [matches], block }: DebateStrike,
  stage: DebateStage,
  bench: ReplayBench,
): Promise<Injection> => {
  const { watch, findUnstoredCalls } = stage;
  const { system } = bench;
  const sendSignal = await system.prepareSignal(['agents'], 'SIGSTOP');
  try {
    await untilWritten(watch, matches!);
    if (block !== undefined) await untilBlocked(watch);
    const at = sendSignal();
    await pause(ARRIVAL_WAIT_MS);
    if (block !== undefined) {
      await watch.unblock({ isAlive: true });
      await pause(ARRIVAL_WAIT_MS);
    }
    const unstoredCalls = findUnstoredCalls();
    const violations = await resumeAndFindWrites(stage, bench);
    return { injectedFaults: [{ unstoredCalls, repeats: 'exactly' }], at, violations };
  } finally {
    await system.signal(['agents'], 'SIGCONT');
  }
};

const resumeAndFindWrites = async (
  { conversationId }: DebateStage,
  { system, model }: ReplayBench,
): Promise<string[]> => {
  const { databaseUrl } = system;
  const ended = await untilEnded(databaseUrl, conversationId, REPLICA_LIMIT_MS);
  if (!ended) return ['the second replica did not complete the debate'];
  const rows = await hashRows(databaseUrl, ended.id);
  const calls = model.calls.length;
  await system.signal(['agents'], 'SIGCONT');
  await pause(RESUMED_WAIT_MS);
  const extraCalls = model.calls.length - calls;
  const hasWritten = (await hashRows(databaseUrl, ended.id)) !== rows;
  return [
    ...(hasWritten ? ['the resumed process wrote to the database'] : []),
    ...(extraCalls === 0 ? [] : [`the resumed process made ${extraCalls} calls`]),
  ];
};
