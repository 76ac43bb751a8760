import { setTimeout as pause } from 'node:timers/promises';
import type { FaultSystem } from '../open-running-system.ts';
import type { CallResponse } from '../client.ts';
import type { ConversationApi } from './conversation-api.ts';
import { toQuestion } from './scripted-council.ts';
import type { Pace, createScriptedCouncil } from './scripted-council.ts';
import type { DebateEvidence, InjectedFault } from './find-debate-violations.ts';
import { openStepWatch } from './open-step-watch.ts';
import type { Step, StepWatch } from './open-step-watch.ts';
import { untilEnded } from './read-debate.ts';
import { toOutcome } from './to-outcome.ts';

export type DebateContext = {
  system: FaultSystem;
  api: ConversationApi;
  council: ReturnType<typeof createScriptedCouncil>;
  databaseUrl: string;
  ids: ReadonlyMap<string, string>;
};

export type RunningDebate = Pick<DebateContext, 'system' | 'databaseUrl' | 'council'> & {
  watch: StepWatch;
  conversationId: string;
  /**
   * Returns the keys of the model calls that were received since the previous call of this function
   * and whose outcome is not stored.
   */
  findUnstoredCalls: () => string[];
};

export type InjectionOutcome = {
  injectedFaults: InjectedFault[];
  /** Time of the last fault, in milliseconds since the epoch. */
  at: number;
  violations?: string[];
};

export type FaultInjector = {
  prepare?: (watch: StepWatch, system: FaultSystem) => Promise<unknown>;
  run: (runningDebate: RunningDebate) => Promise<InjectionOutcome>;
  createPace: (watch: StepWatch, ids: DebateContext['ids']) => Pace;
};

export type DebateRun = {
  conversationId: string;
  steps: readonly Step[];
  evidence: Omit<DebateEvidence, 'expected' | 'mayMissAnswer'>;
  /** Proof ids in the debate's messages. */
  proofIds: readonly string[];
  /** Time from the last fault to the end of the debate. */
  endedAfterMs: number;
  violations: readonly string[];
};

/** Time limit of a debate; longer than several leases and slow restarts of processes. */
const END_LIMIT_MS = 60_000;
/** Time limit until all services are ready; longer than repeated restarts of a killed service. */
const READY_LIMIT_MS = 180_000;
/**
 * Time in which the client must receive the response after the end of the debate, in milliseconds.
 */
const ANSWER_LIMIT_MS = 10_000;
const POLL_MS = 50;

export const runDebate = async (
  number: number,
  injector: FaultInjector,
  context: DebateContext,
): Promise<DebateRun> => {
  const { api, council, databaseUrl, ids, system } = context;
  await untilReady(system);
  await using watch = await openStepWatch(databaseUrl);
  const conversationId = await api.createConversation();
  const listCalls = () => council.calls.filter(({ runNumber }) => runNumber === number);
  council.setPace(injector.createPace(watch, ids));
  await injector.prepare?.(watch, system);
  const findUnstoredCalls = createUnstoredCallsFinder(listCalls, watch, ids);
  const pendingResponse = api.ask(conversationId, toQuestion(number));
  const runningDebate = { system, databaseUrl, council, watch, conversationId, findUnstoredCalls };
  const injection = await injector.run(runningDebate);
  const endedDebate = await untilEnded(databaseUrl, conversationId, END_LIMIT_MS);
  // The watch ends if the database is killed; then the time at which polling found the end is used.
  const endedAt = watch.commits().find(({ kind }) => kind === 'done')?.at ?? Date.now();
  const answer = await Promise.race([pendingResponse, pause(endedDebate ? ANSWER_LIMIT_MS : 0)]);
  const finishedDebate = endedDebate
    ? await readFinishedDebate(conversationId, endedDebate.id, api)
    : undefined;
  const { messageCount = 0, messages = 0, events = 0 } = endedDebate ?? {};
  return {
    conversationId,
    steps: watch.commits(),
    evidence: {
      outcome: finishedDebate?.outcome,
      calls: listCalls().map(({ key }) => key),
      injectedFaults: injection.injectedFaults,
      stored: { messageCount, messages, events },
      answer: answer
        ? { status: answer.status, isComplete: isComplete(answer, finishedDebate) }
        : undefined,
    },
    proofIds: finishedDebate?.proofIds ?? [],
    endedAfterMs: Math.max(0, endedAt - injection.at),
    violations: injection.violations ?? [],
  };
};

/** Resolves when all services are ready, including those that an earlier fault killed. */
export const untilReady = async (system: Pick<FaultSystem, 'readFile'>): Promise<void> => {
  const isReady = async (url: string): Promise<boolean> => {
    try {
      return (await fetch(`${url}/readyz`)).ok;
    } catch {
      // The service is not listening yet.
      return false;
    }
  };
  const { adminUrls } = await system.readFile();
  for (const deadline = Date.now() + READY_LIMIT_MS; Date.now() < deadline; await pause(POLL_MS)) {
    const ready = await Promise.all(Object.values(adminUrls).map(isReady));
    if (ready.every(Boolean)) return;
  }
  throw new Error('The system was not ready again in time.');
};

/**
 * Creates the function `findUnstoredCalls`. Each of its calls considers only the model calls since
 * the previous one, so that a model call that is repeated after a fault is reported again.
 */
const createUnstoredCallsFinder = (
  listCalls: () => readonly { key: string }[],
  watch: StepWatch,
  ids: DebateContext['ids'],
): (() => string[]) => {
  const names = new Map([...ids].map(([name, id]) => [id, name]));
  let checkedCount = 0;
  return () => {
    const stored = new Set(watch.commits().map((step) => keyOf(step, names)));
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

type FinishedDebate = { outcome: string; done: object | undefined; proofIds: string[] };

const readFinishedDebate = async (
  conversationId: string,
  debateId: string,
  api: ConversationApi,
): Promise<FinishedDebate> => {
  const [conversation, events] = [
    await api.read(conversationId),
    await api.readEvents(conversationId, debateId),
  ];
  const messages = conversation.messages as { proofs: string[] }[];
  return {
    outcome: toOutcome({ conversation, events }),
    done: events.find(({ event }) => event === 'done')?.data,
    proofIds: messages.flatMap(({ proofs }) => proofs),
  };
};

/**
 * Returns whether the plain response equals the debate's `done` event, apart from `seq` and
 * `round`.
 */
const isComplete = (
  { status, text }: CallResponse,
  finishedDebate: FinishedDebate | undefined,
): boolean => {
  if (status !== 200 || !finishedDebate?.done) return false;
  const { seq: _seq, round: _round, ...done } = finishedDebate.done as Record<string, unknown>;
  const answer = JSON.parse(text) as Record<string, unknown>;
  return (
    Object.keys(answer).length === Object.keys(done).length &&
    Object.entries(answer).every(([name, value]) => hasSameJson(value, done[name]))
  );
};

const hasSameJson = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);
