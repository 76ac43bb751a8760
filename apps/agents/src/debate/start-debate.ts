import { createHash } from 'node:crypto';
import { conflict, invalidRequest, ServiceError } from '@witan/contracts';
import { staysLocal } from '../agent/agent.ts';
import type { Agent, AgentStore } from '../agent/agent.ts';
import type { ConversationStore } from './conversation/conversation.ts';
import { noSuchConversation } from './conversation/conversations.ts';
import type { Issue } from './debate.ts';
import { quorumOf, ROUNDS_MAX } from './decide-stop.ts';
import type { DebateRules } from './decide-stop.ts';
import type {
  BeginDebateResult,
  DebateArchive,
  DebateConfig,
  DebateOrigin,
  DebateStore,
  NewDebate,
  StoredDebate,
} from './record/debate-store.ts';
import type { Lever } from './debate.ts';
import { LEASE_MS } from './runner/open-debate-runner.ts';
import type { DebateRunner } from './runner/open-debate-runner.ts';

export type NewQuestion = {
  origin: DebateOrigin;
  /** Idempotency key: a repeated request returns the same debate, unless that debate failed. */
  proofId?: string;
  question: string;
  briefing: string;
  requestSha256: string;
  requestId: string;
  /** API key for which the debate is held, if known. */
  actorId?: string | undefined;
  levers: readonly Lever[];
  issues?: readonly Issue[];
  agentIds: readonly string[];
  maxRounds?: number;
  /** True if the question derives from local-only calls; the debate is then local-only, too. */
  staysLocal?: boolean;
};

export type StartDebateDeps = {
  agents: Pick<AgentStore, 'list'>;
  archive: Pick<DebateArchive, 'find'>;
  conversations: Pick<ConversationStore, 'exists'>;
  store: Pick<DebateStore, 'begin'>;
  runner: Pick<DebateRunner, 'run'>;
  rules: DebateRules;
  agentsMax: number;
  newId: (prefix: string) => string;
  clock: () => Date;
  leaseMs?: number;
  /**
   * Acquires one of the workspace's permits for conversation debates and returns a function that
   * releases it; returns undefined if all permits in this process are in use.
   */
  admit: (workspaceId: string) => (() => void) | undefined;
};

export type StartDebate = (
  workspaceId: string,
  newQuestion: NewQuestion,
) => Promise<{ debateId: string }>;

const QUESTION_LENGTH_MAX = 100_000;

/**
 * Returns a function that starts a debate and resolves with its id. A request with the `proofId` of
 * an earlier one resolves with the id of the existing debate, unless that debate failed; a request
 * with the owner and key of a panel resolves with the id of that panel. The debate runs
 * independently of its caller. The function rejects with
 * - INVALID_REQUEST for an invalid question or briefing, an unknown agent or `maxRounds` out of
 * range;
 * - NOT_FOUND if the conversation does not exist;
 * - RATE_LIMITED if too many conversation debates of the workspace run in this process;
 * - CONFLICT `no_agents`, `too_many_agents`, or with a code of `DebateStore.begin`;
 * - other errors of the stores.
 */
export const createStartDebate = (deps: StartDebateDeps): StartDebate => {
  const beginDebate = createBeginDebate(deps);
  return async (workspaceId, newQuestion) => {
    checkQuestion(newQuestion);
    // Panels need no permit, because a simulation starts only the panels of one simulation turn at
    // a time.
    const release = newQuestion.origin.kind === 'panel' ? () => {} : deps.admit(workspaceId);
    if (!release) throw tooManyDebates();
    let isRunning = false;
    try {
      const { debateId, ended } = await beginDebate(workspaceId, newQuestion);
      isRunning = ended !== undefined;
      void ended?.finally(release);
      return { debateId };
    } finally {
      if (!isRunning) release();
    }
  };
};

const RETRY_AFTER_S = '5';

const tooManyDebates = (): ServiceError =>
  new ServiceError(
    'RATE_LIMITED',
    'Too many debates of this workspace are running; try again when one of them has ended.',
    { fields: { retryAfter: RETRY_AFTER_S } },
  );

/** `ended` resolves when the debate no longer runs in this process. */
type BeginResult = { debateId: string; ended?: Promise<void> };

const createBeginDebate =
  ({ store, runner, newId, clock, leaseMs = LEASE_MS, ...deps }: StartDebateDeps) =>
  async (workspaceId: string, newQuestion: NewQuestion): Promise<BeginResult> => {
    const [{ id, exists }, hasOrigin, allAgents] = await Promise.all([
      chooseDebateId(workspaceId, newQuestion, { newId, ...deps }),
      originExists(workspaceId, newQuestion, deps),
      deps.agents.list(workspaceId, { limit: AGENT_LIST_LIMIT }),
    ]);
    if (exists) return { debateId: id };
    if (!hasOrigin) throw noSuchConversation();
    const createdAt = clock();
    const council = chooseCouncil(allAgents, newQuestion, deps);
    const { origin, question, briefing, requestSha256, requestId } = newQuestion;
    const debate: NewDebate = {
      id,
      origin,
      question,
      briefing,
      requestSha256,
      requestId,
      config: toConfig(newQuestion, { id, council, createdAt, rules: deps.rules }),
      fingerprint: fingerprintOf(newQuestion),
      createdAt,
    };
    const begun: BeginDebateResult = await store.begin(workspaceId, debate, leaseMs);
    if (!begun.isNew) return { debateId: begun.debateId };
    return { debateId: id, ended: runner.run(begun.leased, toStoredDebate(debate)) };
  };

/**
 * Returns the stored state of a debate directly after `begin`; the event `started` has number 1.
 */
const toStoredDebate = ({ fingerprint: _fingerprint, ...debate }: NewDebate): StoredDebate => ({
  ...debate,
  state: 'running',
  lastSeq: 1,
  frame: undefined,
  rounds: [],
  openRound: undefined,
  synthesis: undefined,
  failure: undefined,
});

const chooseDebateId = async (
  workspaceId: string,
  { proofId }: NewQuestion,
  { archive, newId }: Pick<StartDebateDeps, 'archive' | 'newId'>,
): Promise<{ id: string; exists: boolean }> => {
  if (proofId === undefined) return { id: newId('dbt'), exists: false };
  const id = proofId.replace(/^pf_/, 'dbt_');
  const found = await archive.find(workspaceId, id);
  if (found?.state === 'failed') return { id: newId('dbt'), exists: false };
  return { id, exists: found !== undefined };
};

const originExists = async (
  workspaceId: string,
  { origin }: NewQuestion,
  { conversations }: Pick<StartDebateDeps, 'conversations'>,
): Promise<boolean> =>
  origin.kind === 'panel' || (await conversations.exists(workspaceId, origin.conversationId));

const checkQuestion = ({ question, briefing, maxRounds = 1 }: NewQuestion): void => {
  if ([question, briefing].some((text) => text.includes('\0') || !text.isWellFormed())) {
    const message = 'content must not contain NUL characters or lone surrogates.';
    throw invalidRequest(message, { param: 'content' });
  }
  if (question.trim() === '') throw invalidRequest('content is empty.', { param: 'content' });
  if (question.length > QUESTION_LENGTH_MAX) {
    const message = `content is longer than ${QUESTION_LENGTH_MAX} characters.`;
    throw invalidRequest(message, { param: 'content' });
  }
  if (maxRounds < 1 || maxRounds > ROUNDS_MAX) {
    throw invalidRequest(`maxRounds must be from 1 to ${ROUNDS_MAX}.`, { param: 'maxRounds' });
  }
};

const chooseCouncil = (
  allAgents: readonly Agent[],
  { agentIds, staysLocal: mustStay = false }: Pick<NewQuestion, 'agentIds' | 'staysLocal'>,
  { agentsMax }: Pick<StartDebateDeps, 'agentsMax'>,
): Pick<DebateConfig, 'agents' | 'isSensitive'> => {
  const unknownId = agentIds.find((id) => !allAgents.some((agent) => agent.id === id));
  if (unknownId !== undefined) {
    throw invalidRequest(`There is no agent ${unknownId} in this workspace.`, {
      param: 'agentIds',
    });
  }
  const chosenAgents =
    agentIds.length === 0 ? allAgents : allAgents.filter(({ id }) => agentIds.includes(id));
  if (chosenAgents.length === 0) {
    const message = 'The workspace has no agents to debate: create some first.';
    throw conflict(message, { code: 'no_agents' });
  }
  if (chosenAgents.length > agentsMax) {
    const message =
      `${chosenAgents.length} agents are too many for one debate, which may have ${agentsMax}: ` +
      'delete some, or keep those of other subjects in a workspace of their own.';
    throw conflict(message, { code: 'too_many_agents' });
  }
  return {
    agents: chosenAgents
      .map(({ id, name }) => ({ id, name }))
      .toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    isSensitive: mustStay || chosenAgents.some(staysLocal),
  };
};

/** More than the maximum number of agents of a workspace, so that one page has all of them. */
const AGENT_LIST_LIMIT = 1_000;

type ConfigSource = {
  id: string;
  council: Pick<DebateConfig, 'agents' | 'isSensitive'>;
  createdAt: Date;
  rules: DebateRules;
};

const toConfig = (
  { levers, issues, maxRounds, actorId }: NewQuestion,
  { id, council, createdAt, rules }: ConfigSource,
): DebateConfig => {
  const { threshold, agentTimeoutMs, deadlineMs, tokenBudget } = rules;
  return {
    threshold,
    maxRounds: maxRounds ?? rules.maxRounds,
    quorum: quorumOf(council.agents.length),
    agentTimeoutMs,
    deadlineAt: new Date(createdAt.getTime() + deadlineMs),
    tokenBudget,
    seed: createHash('sha256').update(id).digest().readUInt32BE(),
    ...council,
    ...(levers.length === 0 ? {} : { levers }),
    ...(issues ? { issues } : {}),
    ...(actorId ? { actorId } : {}),
  };
};

/** Returns a hash of the request, which detects that a panel's key is reused for another one. */
const fingerprintOf = (newQuestion: NewQuestion): string => {
  const { question, briefing, levers, issues = [], agentIds, maxRounds = 0 } = newQuestion;
  // Added only if true, so that fingerprints of earlier releases remain valid.
  const localOnly = newQuestion.staysLocal ? ['local-only'] : [];
  const parts = [question, briefing, levers, issues, agentIds.toSorted(), maxRounds, ...localOnly];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
};
