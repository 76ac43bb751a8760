// The port of debate storage, implemented by storage/debate-store.ts.
import type { TokenUsage } from '../../model/model-call.ts';
import type { Absence, Answer, Issue, Round, Synthesis } from '../debate.ts';
import type { DebateEvent } from './debate-event.ts';
import type { Lever } from '../lever.ts';

/** A participant, with its name at the start of the debate. */
export type DebatingAgent = { id: string; name: string };

/** The configuration of a debate, fixed at its start. */
export type DebateConfig = {
  /** Lowest convergence score that counts as agreement: 0 to 1. */
  threshold: number;
  maxRounds: number;
  /** Fewest answers of a valid round. */
  quorum: number;
  agentTimeoutMs: number;
  deadlineAt: Date;
  /** Tokens of all calls. */
  tokenBudget: number;
  seed: number;
  agents: readonly DebatingAgent[];
  /** True if an agent was local-only at the start: every call of the debate is local-only. */
  isSensitive: boolean;
  /** Set in panels only. */
  levers?: readonly Lever[];
  /**
   * Set if the caller of a panel named the issues; otherwise they are derived from the question.
   */
  issues?: readonly Issue[];
};

export type DebateState = 'running' | 'synthesized' | 'failed';

/** What started a debate: a message of a conversation, or a panel of another service. */
export type DebateOrigin =
  | { kind: 'conversation'; conversationId: string; messageId: string }
  /** `owner` and `key` are unique in the workspace. */
  | { kind: 'panel'; owner: string; key: string };

export type NewDebate = {
  /** Prefix `dbt_`. */
  id: string;
  origin: DebateOrigin;
  question: string;
  /** Shown to every agent of a panel before the question; empty in conversations. */
  briefing: string;
  /** Lower-case hex commitment to the client's request body. */
  requestSha256: string;
  requestId: string;
  config: DebateConfig;
  /** Hash of the request, to detect that a panel's key is reused. */
  fingerprint: string;
  createdAt: Date;
};

/** A debate that the caller has leased exclusively until the lease expires. */
export type LeasedDebate = {
  workspaceId: string;
  id: string;
  /** Empty in panels. */
  conversationId: string;
  /** Fencing token: writes with an older one are rejected. */
  lease: string;
  /** `performance.now` of this process, taken before the lease was requested. */
  leasedAt: number;
  /** Leases since the last stored step, including this one. */
  attempts: number;
};

/** The issues of the question and the cost of finding them. */
export type Frame = { issues: readonly Issue[]; proofIds: readonly string[]; usage: TokenUsage };

/** An answer with the id of its message. */
export type GivenAnswer = { messageId: string; answer: Answer; answeredAt: Date };

export type DebateFailure = {
  /** As in errors of the API. */
  kind: string;
  code: string;
  message: string;
};

/** A synthesis with the id of its message and its cost. */
export type GivenSynthesis = {
  messageId: string;
  synthesis: Synthesis;
  proofIds: readonly string[];
  usage: TokenUsage;
  synthesizedAt: Date;
};

/** One step of a debate; stored atomically with its events. */
export type DebateStep =
  | { kind: 'framed'; frame: Frame }
  | { kind: 'round-started'; roundNumber: number }
  | { kind: 'answered'; roundNumber: number; given: GivenAnswer }
  /** `carried`: the agent's previous answer, used as stale; emits both events. */
  | { kind: 'absent'; roundNumber: number; absence: Absence; carried?: GivenAnswer }
  /** The stored answers of the round become messages of the conversation. */
  | { kind: 'round-completed'; round: Pick<Round, 'roundNumber' | 'convergenceScore' | 'report'> }
  /**
   * Ends the debate: emits `synthesis-completed` and `done` and, in conversations, publishes
   * `debate.synthesized`.
   */
  | { kind: 'synthesized'; given: GivenSynthesis }
  /** Ends the debate; the answers of the open round become messages. */
  | { kind: 'failed'; failure: DebateFailure };

export type StoredDebate = Omit<NewDebate, 'fingerprint'> & {
  state: DebateState;
  /** Sequence number of the last event. */
  lastSeq: number;
  frame: Frame | undefined;
  /** Completed rounds. */
  rounds: readonly Round[];
  /** The round in progress. */
  openRound: OpenRound | undefined;
  synthesis: GivenSynthesis | undefined;
  failure: DebateFailure | undefined;
};

/** By agent id. Agents in neither list have no stored answer and must be asked. */
export type OpenRound = {
  roundNumber: number;
  answers: readonly Answer[];
  absences: readonly Absence[];
};

/**
 * The lease was taken by another process, or the debate ended or was deleted. The runner must stop.
 */
export class LeaseLost extends Error {
  constructor() {
    super('The debate is no longer held by this lease.');
    this.name = 'LeaseLost';
  }
}

/** Storage of debates for their runners. */
export type DebateStore = {
  /**
   * Stores a new debate, leased by the caller, with its user message and the event `started`;
   * returns an existing panel of the same owner and key instead, without a lease. Rejects with
   * NOT_FOUND if the conversation is missing, and with CONFLICT `debate_running` while another
   * debate of the conversation runs, `conversation_full`, or `panel_key_reused` if the fingerprint
   * differs.
   */
  begin: (workspaceId: string, debate: NewDebate, leaseMs: number) => Promise<BegunDebate>;
  /** Leases a running debate of any workspace whose lease expired; undefined if there is none. */
  acquire: (leaseMs: number) => Promise<LeasedDebate | undefined>;
  /** Resolves with false if the lease is lost. */
  renew: (leased: LeasedDebate, leaseMs: number) => Promise<boolean>;
  /** Ends the lease, so that another replica can acquire it at once. */
  release: (leased: LeasedDebate) => Promise<void>;
  /**
   * Stores the steps in one transaction and returns their events. An already stored answer of the
   * same agent and round is retained and emits no second event. Rejects with `LeaseLost`.
   */
  save: (leased: LeasedDebate, steps: readonly DebateStep[]) => Promise<readonly DebateEvent[]>;
};

export type BegunDebate =
  | { isNew: true; leased: LeasedDebate }
  | { isNew: false; debateId: string };

/** The state of a debate. */
export type FoundDebate = {
  state: DebateState;
  /** Empty in panels. */
  conversationId: string;
  /** Sequence number of the last event. */
  lastSeq: number;
};

/** Reads debates; a missing one is undefined. */
export type DebateArchive = {
  /** Reads the state only, no texts. */
  find: (workspaceId: string, debateId: string) => Promise<FoundDebate | undefined>;
  load: (workspaceId: string, debateId: string) => Promise<StoredDebate | undefined>;
  /**
   * Returns the events after `afterSeq`, in order; undefined if the debate is missing or deleted.
   */
  readEvents: (
    workspaceId: string,
    debateId: string,
    afterSeq: number,
  ) => Promise<readonly DebateEvent[] | undefined>;
  /** Deletes all panels of an owner; the next write of a running one rejects with `LeaseLost`. */
  deletePanels: (workspaceId: string, owner: string) => Promise<void>;
};
