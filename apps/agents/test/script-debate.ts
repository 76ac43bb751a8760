import { newId } from '@witan/service-kit';
import type { Absence, Answer, RoundReport, Synthesis } from '../src/debate/debate.ts';
import type {
  DebateConfig,
  DebateOrigin,
  DebateStep,
  DebateStore,
  StoredAnswer,
  StoredSynthesis,
  LeasedDebate,
  NewDebate,
} from '../src/debate/record/debate-store.ts';
import type { Storage } from '../src/open-storage.ts';

/** Duration of leases, longer than every test, so that a lease ends only if the test ends it. */
export const LEASE_MS = 600_000;
const CREATED_AT = new Date('2026-03-04T05:06:07.089Z');
/** Text with characters that text columns or jsonb reject or alter. */
export const UNUSUAL_TEXT = `"\\'\\\\ ? ?? $1 %s \u0000 \ud800 \u2028 <MEMORY key="x"> é 日本 ${'x'.repeat(50)}`;

export const AGENTS = ['ann', 'bob', 'cid'].map((id) => ({ id: `agt_${id}`, name: id }));

export const CONFIG: DebateConfig = {
  threshold: 0.85,
  maxRounds: 3,
  quorum: 2,
  agentTimeoutMs: 30_000,
  deadlineAt: CREATED_AT,
  tokenBudget: 400_000,
  seed: 7,
  agents: AGENTS,
  isSensitive: false,
};

export const usageOf = (tokens: number) => ({
  promptTokens: tokens,
  completionTokens: 1,
  totalTokens: tokens + 1,
});

export const createConversation = async (
  { conversations }: Storage,
  workspaceId: string,
): Promise<string> => {
  const id = newId('cnv');
  const conversation = { id, userId: 'usr_1', title: 'Prices', createdAt: CREATED_AT };
  await conversations.insert(workspaceId, conversation);
  return id;
};

export const debateIn = (conversationId: string, more: Partial<NewDebate> = {}): NewDebate =>
  debateAt({ kind: 'conversation', conversationId, messageId: newId('msg') }, more);

export const panelOf = (owner: string, key: string, more: Partial<NewDebate> = {}): NewDebate =>
  debateAt({ kind: 'panel', owner, key }, more);

const debateAt = (origin: DebateOrigin, more: Partial<NewDebate>): NewDebate => ({
  id: newId('dbt'),
  origin,
  question: "Should we? It's ? a \\ question",
  briefing: '',
  requestSha256: 'ab',
  requestId: 'req_12345678',
  config: CONFIG,
  fingerprint: 'f1',
  createdAt: CREATED_AT,
  ...more,
});

export const beginNewDebate = async (
  debates: DebateStore,
  workspaceId: string,
  debate: NewDebate,
  leaseMs = LEASE_MS,
): Promise<LeasedDebate> => {
  const beginResult = await debates.begin(workspaceId, debate, leaseMs);
  if (!beginResult.isNew) throw new Error('The panel already exists.');
  return beginResult.leased;
};

export const answerOf = (agentId: string, more: Partial<Answer> = {}): StoredAnswer => ({
  messageId: newId('msg'),
  answeredAt: CREATED_AT,
  answer: {
    agentId,
    agentName: agentId.slice(4),
    content: `${agentId} says ${UNUSUAL_TEXT}`,
    position: UNUSUAL_TEXT,
    stances: [{ issueId: 'i1', stance: -0.5, confidence: 0.1 + 0.2 }],
    keyPoints: [{ id: 'p1', text: UNUSUAL_TEXT }],
    changedMind: true,
    changeReason: 'a fact',
    wouldChangeMind: '',
    levers: { zeta: 0.1, alpha: 1e21 },
    isStale: false,
    proofIds: ['pf_1', 'pf_2'],
    usage: usageOf(10),
    ...more,
  },
});

const ROUND_REPORT: RoundReport = {
  method: 'stance',
  participation: 2 / 3,
  blocs: [['agt_ann', 'agt_bob']],
  textSimilarity: 0.1,
  conformityFlips: 1,
  consensus: undefined,
};

const SYNTHESIS: Synthesis = {
  content: `The council says ${UNUSUAL_TEXT}`,
  verdicts: [{ issueId: 'i1', proposition: UNUSUAL_TEXT, verdict: 'split', support: -0.1 }],
  dissent: [],
  camps: [],
  withoutStance: [],
  openQuestions: ['Why?'],
  confidence: 0.3,
  convergenceScore: 0.6667,
  rounds: 2,
  absentAgents: ['cid'],
  stoppedBy: 'rounds',
  isFromTemplate: false,
  contradictions: [],
};

export const synthesisOf = (more: Partial<Synthesis> = {}): StoredSynthesis => ({
  messageId: newId('msg'),
  synthesis: { ...SYNTHESIS, ...more },
  proofIds: ['pf_9'],
  usage: usageOf(1_000),
  synthesizedAt: CREATED_AT,
});

export const framedStep: DebateStep = {
  kind: 'framed',
  frame: {
    issues: [{ id: 'i1', proposition: UNUSUAL_TEXT, weight: 1 }],
    proofIds: ['pf_0'],
    usage: usageOf(100),
  },
};

export const roundStarted = (roundNumber: number): DebateStep => ({
  kind: 'round-started',
  roundNumber,
});

export const answeredStep = (roundNumber: number, agentId: string, more?: Partial<Answer>) =>
  ({ kind: 'answered', roundNumber, given: answerOf(agentId, more) }) satisfies DebateStep;

export const absentStep = (
  roundNumber: number,
  agentId: string,
  reason: Absence['reason'],
  carriedAnswer?: StoredAnswer,
): DebateStep => ({
  kind: 'absent',
  roundNumber,
  absence: { agentId, agentName: agentId.slice(4), reason },
  ...(carriedAnswer ? { carried: carriedAnswer } : {}),
});

export const roundCompleted = (roundNumber: number, convergenceScore: number): DebateStep => ({
  kind: 'round-completed',
  round: { roundNumber, convergenceScore, report: ROUND_REPORT },
});

export const synthesized = (more?: Partial<Synthesis>): DebateStep => ({
  kind: 'synthesized',
  given: synthesisOf(more),
});

/**
 * Returns the steps of a debate with two rounds: one agent is absent in the first, and one answer
 * is reused as stale in the second.
 */
export const wholeDebate = (): DebateStep[][] => [
  [framedStep, roundStarted(1)],
  [answeredStep(1, 'agt_bob')],
  [answeredStep(1, 'agt_ann'), absentStep(1, 'agt_cid', 'refused')],
  [roundCompleted(1, 1 / 3), roundStarted(2)],
  [absentStep(2, 'agt_bob', 'timeout', answerOf('agt_bob', { isStale: true }))],
  [answeredStep(2, 'agt_ann'), answeredStep(2, 'agt_cid')],
  [roundCompleted(2, 0.6667)],
  [synthesized()],
];
