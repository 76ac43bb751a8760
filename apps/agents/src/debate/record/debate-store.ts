import type { TokenUsage } from '@witan/dialects';
import type { Absence, Answer, Issue, Round, Synthesis } from '../debate.ts';
import type { DebateEvent } from './debate-event.ts';
import type { Lever } from '../debate.ts';
import type { DebatingAgent, DebateFailure } from './debate-event.ts';

export type DebateConfig = {
  threshold: number;
  maxRounds: number;
  quorum: number;
  agentTimeoutMs: number;
  deadlineAt: Date;
  tokenBudget: number;
  seed: number;
  agents: readonly DebatingAgent[];
  /**
   * True if an agent was local-only when the debate started, or if the question derives from
   * local-only calls; every call of the debate is then local-only.
   */
  isSensitive: boolean;
  levers?: readonly Lever[];
  issues?: readonly Issue[];
  /** API key for which the debate is held; its calls are recorded with it. */
  actorId?: string;
};

export type DebateState = 'running' | 'synthesized' | 'failed';

export type DebateOrigin =
  | { kind: 'conversation'; conversationId: string; messageId: string }
  /**
   * Panel: a debate without a conversation. `owner` and `key` together are unique in the workspace.
   */
  | { kind: 'panel'; owner: string; key: string };

export type NewDebate = {
  id: string;
  origin: DebateOrigin;
  question: string;
  briefing: string;
  /** SHA-256 of the client's request body, in lower-case hex. */
  requestSha256: string;
  requestId: string;
  config: DebateConfig;
  /** Hash of the request, which detects that a panel's key is reused for another request. */
  fingerprint: string;
  createdAt: Date;
};

export type LeasedDebate = {
  workspaceId: string;
  id: string;
  conversationId: string;
  /** Fencing token; the store rejects a write with the token of an earlier lease. */
  lease: string;
  /** Start of the lease by `performance.now()` of this process, in milliseconds. */
  leasedAt: number;
  /**
   * Number of times that the debate was leased since its last stored step, including this lease.
   * Leases that were released are not counted.
   */
  attempts: number;
};

export type Frame = { issues: readonly Issue[]; proofIds: readonly string[]; usage: TokenUsage };

export type StoredAnswer = { messageId: string; answer: Answer; answeredAt: Date };

export type StoredSynthesis = {
  messageId: string;
  synthesis: Synthesis;
  proofIds: readonly string[];
  usage: TokenUsage;
  synthesizedAt: Date;
};

/** Step of a debate. It is stored in one transaction with the events that it emits. */
export type DebateStep =
  | { kind: 'framed'; frame: Frame }
  | { kind: 'round-started'; roundNumber: number }
  | { kind: 'answered'; roundNumber: number; given: StoredAnswer }
  /**
   * Absence of an agent in a round. With `carried`, the agent's previous answer is reused as stale,
   * and an event is emitted for the absence and one for the answer.
   */
  | { kind: 'absent'; roundNumber: number; absence: Absence; carried?: StoredAnswer }
  | { kind: 'round-completed'; round: Pick<Round, 'roundNumber' | 'convergenceScore' | 'report'> }
  /**
   * End of the debate with a synthesis. Emits `synthesis-completed` and `done`; in a conversation,
   * also publishes `debate.synthesized`.
   */
  | { kind: 'synthesized'; given: StoredSynthesis }
  /**
   * End of the debate with an error; the answers of the unfinished round become messages of the
   * conversation.
   */
  | { kind: 'failed'; failure: DebateFailure };

export type StoredDebate = Omit<NewDebate, 'fingerprint'> & {
  state: DebateState;
  lastSeq: number;
  frame: Frame | undefined;
  rounds: readonly Round[];
  openRound: OpenRound | undefined;
  synthesis: StoredSynthesis | undefined;
  failure: DebateFailure | undefined;
};

/**
 * Round that has started but is not completed. An agent that is in neither list must still be
 * asked.
 */
export type OpenRound = {
  roundNumber: number;
  answers: readonly Answer[];
  absences: readonly Absence[];
};

/**
 * Thrown if another process leased the debate, or if the debate ended or was deleted. The runner
 * must stop.
 */
export class LeaseLostError extends Error {
  constructor() {
    super('The lease of the debate is lost.');
    this.name = 'LeaseLostError';
  }
}

export type DebateStore = {
  /**
   * Stores a new debate with the event `started` and, in a conversation, its user message, and
   * leases it to the caller. If a panel with the same owner and key exists, returns that panel
   * without a lease. Rejects with NOT_FOUND if the conversation is missing, and with CONFLICT:
   * `debate_running` if another debate of the conversation runs, `conversation_full`, or
   * `panel_key_reused` if the panel's fingerprint differs.
   */
  begin: (workspaceId: string, debate: NewDebate, leaseMs: number) => Promise<BeginDebateResult>;
  /**
   * Leases a running debate of any workspace whose lease has expired; resolves with undefined if
   * there is none.
   */
  acquire: (leaseMs: number) => Promise<LeasedDebate | undefined>;
  renew: (leased: LeasedDebate, leaseMs: number) => Promise<boolean>;
  release: (leased: LeasedDebate) => Promise<void>;
  /**
   * Stores the steps with their events in one transaction. The answer or absence of an agent that
   * already has either in the round is dropped, and no event is stored for it. Rejects with
   * `LeaseLostError` if the debate no longer has this lease.
   */
  save: (leased: LeasedDebate, steps: readonly DebateStep[]) => Promise<void>;
};

export type BeginDebateResult =
  | { isNew: true; leased: LeasedDebate }
  | { isNew: false; debateId: string };

/**
 * Gives the lease of a running debate of a conversation to the caller: the process that has it
 * stops at its next write or renewal. Resolves with undefined if no such debate runs.
 */
export type TakeOverDebate = (
  workspaceId: string,
  debateId: string,
  leaseMs: number,
) => Promise<LeasedDebate | undefined>;

/** State of a conversation's debate; `updatedAt` is the time of its last answer or of its end. */
export type DebateProgress = FoundDebate & { createdAt: Date; updatedAt: Date };

export type FoundDebate = {
  state: DebateState;
  conversationId: string;
  lastSeq: number;
};

export type DebateArchive = {
  find: (workspaceId: string, debateId: string) => Promise<FoundDebate | undefined>;
  /** Resolves with undefined for the debate of a panel. */
  findProgress: (workspaceId: string, debateId: string) => Promise<DebateProgress | undefined>;
  load: (workspaceId: string, debateId: string) => Promise<StoredDebate | undefined>;
  readEvents: (
    workspaceId: string,
    debateId: string,
    afterSeq: number,
  ) => Promise<readonly DebateEvent[] | undefined>;
  /**
   * Deletes all panels of an owner. If such a panel runs, its next write rejects with
   * `LeaseLostError`.
   */
  deletePanels: (workspaceId: string, owner: string) => Promise<void>;
};
