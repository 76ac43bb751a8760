import { setTimeout as pause } from 'node:timers/promises';
import type { FaultSystem } from '../open-running-system.ts';
import type { CallResponse } from '../client.ts';
import type { ConversationApi } from './conversation-api.ts';
import { toQuestion } from './council.ts';
import type { Pace, playCouncil } from './council.ts';
import type { DebateEvidence, Strike } from './find-debate-violations.ts';
import { openStepWatch } from './open-step-watch.ts';
import type { Step, StepWatch } from './open-step-watch.ts';
import { untilEnded } from './read-debate.ts';
import { toOutcome } from './to-outcome.ts';

export type DebateContext = {
  system: FaultSystem;
  api: ConversationApi;
  council: ReturnType<typeof playCouncil>;
  databaseUrl: string;
  ids: ReadonlyMap<string, string>;
};

export type Stage = Pick<DebateContext, 'system' | 'databaseUrl' | 'council'> & {
  watch: StepWatch;
  conversationId: string;
  /**
   * Returns the keys of model calls without a stored outcome, among those received since this
   * function last ran.
   */
  findUnstored: () => string[];
};

export type StrikeOutcome = {
  strikes: Strike[];
  /** Time of the last fault, in milliseconds since the epoch. */
  at: number;
  violations?: string[];
};

export type Disturbance = {
  prepare?: (watch: StepWatch, system: FaultSystem) => Promise<unknown>;
  run: (stage: Stage) => Promise<StrikeOutcome>;
  toPace: (watch: StepWatch, ids: DebateContext['ids']) => Pace;
};

export type DebateRun = {
  conversationId: string;
  steps: readonly Step[];
  evidence: Omit<DebateEvidence, 'expected' | 'mayMissAnswer'>;
  /** Proof ids in the debate's messages. */
  named: readonly string[];
  /** Time from the last fault to the end of the debate. */
  endedAfterMs: number;
  violations: readonly string[];
};

/** Exceeds several leases and slow restarts of processes. */
const END_LIMIT_MS = 60_000;
/** Exceeds repeated restarts of a killed service. */
const READY_LIMIT_MS = 180_000;
/** Time in which the client must receive the response after the debate has ended. */
const ANSWER_LIMIT_MS = 10_000;
const POLL_MS = 50;

export const runDebate = async (
  number: number,
  disturbance: Disturbance,
  context: DebateContext,
): Promise<DebateRun> => {
  const { api, council, databaseUrl, ids, system } = context;
  await untilReady(system);
  await using watch = await openStepWatch(databaseUrl);
  const conversationId = await api.begin();
  const callsOf = () => council.calls.filter(({ debate }) => debate === number);
  council.setPace(disturbance.toPace(watch, ids));
  await disturbance.prepare?.(watch, system);
  const findUnstored = openUnstored(callsOf, watch, ids);
  const asked = api.ask(conversationId, toQuestion(number));
  const stage = { system, databaseUrl, council, watch, conversationId, findUnstored };
  const struck = await disturbance.run(stage);
  const ended = await untilEnded(databaseUrl, conversationId, END_LIMIT_MS);
  // If the database was killed, the watch has ended too, and polling finds the end of the debate.
  const lastAt = watch.seen().find(({ kind }) => kind === 'done')?.at ?? Date.now();
  const answer = await Promise.race([asked, pause(ended ? ANSWER_LIMIT_MS : 0)]);
  const followed = ended ? await follow(conversationId, ended.id, api) : undefined;
  const { counted = 0, messages = 0, events = 0 } = ended ?? {};
  return {
    conversationId,
    steps: watch.seen(),
    evidence: {
      outcome: followed?.outcome,
      calls: callsOf().map(({ key }) => key),
      strikes: struck.strikes,
      stored: { counted, messages, events },
      answer: answer ? { status: answer.status, isWhole: isWhole(answer, followed) } : undefined,
    },
    named: followed?.named ?? [],
    endedAfterMs: Math.max(0, lastAt - struck.at),
    violations: struck.violations ?? [],
  };
};

/** Waits until all services are ready, including those that an earlier fault killed. */
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
 * Returns the function `findUnstored`. It considers only calls since its previous result, so that a
 * call that is repeated after a fault counts again.
 */
const openUnstored = (
  callsOf: () => readonly { key: string }[],
  watch: StepWatch,
  ids: DebateContext['ids'],
): (() => string[]) => {
  const names = new Map([...ids].map(([name, id]) => [id, name]));
  let seen = 0;
  return () => {
    const stored = new Set(watch.seen().map((step) => keyOf(step, names)));
    const calls = callsOf();
    const fresh = calls.slice(seen).map(({ key }) => key);
    seen = calls.length;
    return [...new Set(fresh)].filter((key) => !stored.has(key));
  };
};

/** Returns the key of the model call whose outcome the step stores; empty if it stores none. */
const keyOf = ({ kind, round, agentId }: Step, names: ReadonlyMap<string, string>): string => {
  if (kind === 'framed') return 'frame';
  if (kind === 'agent-completed') return `${round} ${names.get(agentId)}`;
  return kind === 'synthesis-completed' ? 'synthesis' : '';
};

type FollowedDebate = { outcome: string; done: object | undefined; named: string[] };

const follow = async (
  conversationId: string,
  debateId: string,
  api: ConversationApi,
): Promise<FollowedDebate> => {
  const [conversation, events] = [
    await api.read(conversationId),
    await api.readEvents(conversationId, debateId),
  ];
  const messages = conversation.messages as { proofs: string[] }[];
  return {
    outcome: toOutcome({ conversation, events }),
    done: events.find(({ event }) => event === 'done')?.data,
    named: messages.flatMap(({ proofs }) => proofs),
  };
};

/**
 * Returns whether the plain response equals the debate's `done` event, apart from `seq` and
 * `round`.
 */
const isWhole = ({ status, text }: CallResponse, followed: FollowedDebate | undefined): boolean => {
  if (status !== 200 || !followed?.done) return false;
  const { seq: _seq, round: _round, ...done } = followed.done as Record<string, unknown>;
  const answer = JSON.parse(text) as Record<string, unknown>;
  return (
    Object.keys(answer).length === Object.keys(done).length &&
    Object.entries(answer).every(([name, value]) => isSame(value, done[name]))
  );
};

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);
