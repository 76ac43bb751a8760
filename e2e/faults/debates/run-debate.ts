import { setTimeout as pause } from 'node:timers/promises';
import { openReplica } from '../open-service.ts';
import type { ReplayBench } from '../open-replay-bench.ts';
import { AGENT_NAMES } from '../scripted-model.ts';
import type { ModelCall, Pace } from '../scripted-model.ts';
import { strikeAtWrites } from '../strike-at-writes.ts';
import { untilReady } from '../strike.ts';
import { toQuestion } from './council-script.ts';
import type { DebateEvidence } from './find-debate-violations.ts';
import { freezeAgents } from './freeze-agents.ts';
import type { DebateStage } from './freeze-agents.ts';
import { openStepWatch } from './open-step-watch.ts';
import type { Step } from './open-step-watch.ts';
import { untilEnded } from './read-debate.ts';
import { isCompleteResponse, readFinishedDebate } from './read-finished-debate.ts';
import type { DebateStrike } from './strikes.ts';

export type DebateRun = {
  conversationId: string;
  steps: readonly Step[];
  evidence: Omit<DebateEvidence, 'expected' | 'mayMissAnswer'>;
  /** Proof ids in the debate's messages. */
  proofIds: readonly string[];
  /** Time from the last strike to the end of the debate; 0 if there was no strike. */
  endedAfterMs: number;
  violations: readonly string[];
};

/** Time limit of a debate; longer than several leases and slow restarts of processes. */
const END_LIMIT_MS = 60_000;
/**
 * Time in which the client must receive the response after the end of the debate, in milliseconds.
 */
const ANSWER_LIMIT_MS = 10_000;

/** Asks the council, strikes, and returns the evidence that `findDebateViolations` checks. */
export const runDebate = async (
  number: number,
  strike: DebateStrike,
  bench: ReplayBench,
): Promise<DebateRun> => {
  const { model, system, home } = bench;
  const { databaseUrl } = system;
  await untilReady(system);
  await using resources = new AsyncDisposableStack();
  const watch = resources.use(await openStepWatch(databaseUrl));
  const client = await bench.openClient();
  type Created = { conversation: { id: string } };
  const { conversation } = await client.read<Created>('POST', '/conversations', {
    title: 'A second shop',
  });
  const conversationId = conversation.id;
  const listCalls = () => model.callsOf(number);
  const findUnstoredCalls = createUnstoredCallsFinder(listCalls, watch.commits, bench.agentIds);
  const stage = { system, watch, findUnstoredCalls, conversationId };
  model.setPace(strike.pace ?? createPaceByWrites(stage, bench.agentIds));
  if (strike.signal === 'SIGSTOP') {
    const replica = await openReplica('agents', await system.readFile(), home);
    resources.defer(async () => void (await replica.stop()));
  }
  if (strike.block !== undefined) await watch.block(strike.block);
  const content = toQuestion(number);
  const pending = client.send('POST', `/conversations/${conversationId}/message`, { content });
  const injection = await (strike.signal === 'SIGSTOP'
    ? freezeAgents(strike, stage, bench)
    : strikeAtWrites(strike, stage));
  const endedDebate = await untilEnded(databaseUrl, conversationId, END_LIMIT_MS);
  // The watch ends if the database is killed; then the time at which polling found the end is used.
  const endedAt = watch.commits().find(({ kind }) => kind === 'done')?.at ?? Date.now();
  const answer = await Promise.race([pending, pause(endedDebate ? ANSWER_LIMIT_MS : 0)]);
  const finished =
    endedDebate && (await readFinishedDebate(client, { conversationId, debateId: endedDebate.id }));
  const { messageCount = 0, messages = 0, events = 0 } = endedDebate ?? {};
  return {
    conversationId,
    steps: watch.commits(),
    evidence: {
      outcome: finished?.outcome,
      calls: listCalls().map(({ key }) => key),
      injectedFaults: injection.injectedFaults,
      stored: { messageCount, messages, events },
      answer: answer
        ? { status: answer.status, isComplete: isCompleteResponse(answer, finished) }
        : undefined,
    },
    proofIds: finished?.proofIds ?? [],
    endedAfterMs: injection.at === undefined ? 0 : Math.max(0, endedAt - injection.at),
    violations: injection.violations ?? [],
  };
};

/**
 * Delays each agent's answer until the answers of the agents before it in the alphabet are stored.
 */
const createPaceByWrites =
  ({ watch }: DebateStage, ids: ReplayBench['agentIds']): Pace =>
  async (call) => {
    const before = AGENT_NAMES.filter((name) => call.name !== '' && name < call.name);
    const isStored = (name: string) => (step: Step) =>
      step.kind === 'agent-completed' &&
      step.round === call.round &&
      step.agentId === ids.get(name);
    await Promise.all(before.map((name) => watch.whenCommitted(isStored(name))));
  };

/**
 * Creates the function `findUnstoredCalls`. Each time it runs, it considers only the model calls
 * since its previous run, so that a model call that is repeated after a fault is reported again.
 */
const createUnstoredCallsFinder = (
  listCalls: () => readonly Pick<ModelCall, 'key'>[],
  listSteps: () => readonly Step[],
  ids: ReplayBench['agentIds'],
): (() => string[]) => {
  const names = new Map([...ids].map(([name, id]) => [id, name]));
  let checkedCount = 0;
  return () => {
    const stored = new Set(listSteps().map((step) => keyOf(step, names)));
    const calls = listCalls();
    const newKeys = calls.slice(checkedCount).map(({ key }) => key);
    checkedCount = calls.length;
    return [...new Set(newKeys)].filter((key) => !stored.has(key));
  };
};

/**
 * Returns the key of the model call whose outcome the step contains; empty if the step contains
 * none.
 */
const keyOf = ({ kind, round, agentId }: Step, names: ReadonlyMap<string, string>): string => {
  if (kind === 'framed') return 'frame';
  if (kind === 'agent-completed') return `${round} ${names.get(agentId)}`;
  return kind === 'synthesis-completed' ? 'synthesis' : '';
};
