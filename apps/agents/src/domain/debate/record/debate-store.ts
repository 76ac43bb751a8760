// The seam between who holds debates (this folder) and who keeps them (storage/debates).
import type { TokenUsage } from '../../model/model-call.ts';
import type { Absence, Answer, Issue, Round, Synthesis } from '../debate.ts';
import type { DebateEvent } from './debate-event.ts';
import type { Lever } from '../lever.ts';

/** Who takes part, as it was called when the debate began. */
export type DebatingAgent = { id: string; name: string };

/** How a debate is held; the same from its first step to its last, whoever holds it. */
export type DebateConfig = {
  /** Score from which the council agrees: 0 to 1. */
  threshold: number;
  maxRounds: number;
  /** Answers without which a round is none. */
  quorum: number;
  agentTimeoutMs: number;
  deadlineAt: Date;
  /** Of all calls together. */
  tokenBudget: number;
  seed: number;
  agents: readonly DebatingAgent[];
  /** One of them stayed on the machine when it began: what is said stays there to its end. */
  isSensitive: boolean;
  /** Of a panel. */
  levers?: readonly Lever[];
  /** Of a panel whose caller says what it is about; else the question is framed. */
  issues?: readonly Issue[];
};

export type DebateState = 'running' | 'synthesized' | 'failed';

/** What a debate is part of: a message of a conversation, or a panel of another service. */
export type DebateOrigin =
  | { kind: 'conversation'; conversationId: string; messageId: string }
  /** `owner` and `key` together name it in its workspace. */
  | { kind: 'panel'; owner: string; key: string };

/** A debate that is to begin. */
export type NewDebate = {
  /** Prefix `dbt_`. */
  id: string;
  origin: DebateOrigin;
  /** The user's message, or what the panel is asked. */
  question: string;
  /** What every agent of a panel is shown before the question; empty in conversations. */
  briefing: string;
  /** Lower-case hex commitment to the client's request body. */
  requestSha256: string;
  requestId: string;
  config: DebateConfig;
  /** Hash of what the caller asked for: a panel's key stands for one such question alone. */
  fingerprint: string;
  createdAt: Date;
};

/** A debate that the caller, and nobody else, holds until the lease is over. */
export type LeasedDebate = {
  workspaceId: string;
  id: string;
  /** Empty of a panel. */
  conversationId: string;
  /** Another with each lease: who has an older one can write nothing. */
  lease: string;
  /** By the clock of this process (`performance.now`), before it was asked for. */
  leasedAt: number;
  /** Leases since anything was kept, with this one. */
  attempts: number;
};

/** What the question is about, and what it took to find out. */
export type Frame = { issues: readonly Issue[]; proofIds: readonly string[]; usage: TokenUsage };

/** An answer under the id that its message has. */
export type GivenAnswer = { messageId: string; answer: Answer; answeredAt: Date };

export type DebateFailure = {
  /** As in the API's errors. */
  kind: string;
  code: string;
  message: string;
};

/** A synthesis under the id that its message has, and what it took to write it. */
export type GivenSynthesis = {
  messageId: string;
  synthesis: Synthesis;
  proofIds: readonly string[];
  usage: TokenUsage;
  synthesizedAt: Date;
};

/** One step of a debate; each is kept with the events that tell it, or not at all. */
export type DebateStep =
  | { kind: 'framed'; frame: Frame }
  | { kind: 'round-started'; roundNumber: number }
  | { kind: 'answered'; roundNumber: number; given: GivenAnswer }
  /** `carried`: its answer of the round before stands, stale; tells both. */
  | { kind: 'absent'; roundNumber: number; absence: Absence; carried?: GivenAnswer }
  /** Its answers, kept before or with it, become messages of the conversation now. */
  | { kind: 'round-completed'; round: Pick<Round, 'roundNumber' | 'convergenceScore' | 'report'> }
  /** Ends the debate and tells `synthesis-completed`, `done` and, of a conversation, the world. */
  | { kind: 'synthesized'; given: GivenSynthesis }
  /** Ends the debate; answers of the open round become messages. */
  | { kind: 'failed'; failure: DebateFailure };

/** A debate as it is kept. */
export type StoredDebate = Omit<NewDebate, 'fingerprint'> & {
  state: DebateState;
  /** Of the last event. */
  lastSeq: number;
  frame: Frame | undefined;
  /** Those that are over. */
  rounds: readonly Round[];
  /** The one that was started and is not over. */
  openRound: OpenRound | undefined;
  synthesis: GivenSynthesis | undefined;
  failure: DebateFailure | undefined;
};

/** By agent id; who is in neither list was not asked, or its answer was lost with its process. */
export type OpenRound = {
  roundNumber: number;
  answers: readonly Answer[];
  absences: readonly Absence[];
};

/** The lease is another's by now, or the debate is over or deleted: whoever holds it stops. */
export class LeaseLost extends Error {
  constructor() {
    super('The debate is no longer held by this lease.');
    this.name = 'LeaseLost';
  }
}

/** Debates as those need them who hold them. */
export type DebateStore = {
  /**
   * Keeps a new debate, held by the caller, with its user message and the event `started`.
   * NOT_FOUND without its conversation; CONFLICT `debate_running` while another debate of the
   * conversation runs, `conversation_full`. A panel of the same owner and key that is there already
   * is answered instead, not held and not begun; CONFLICT `panel_key_reused` when it has another
   * fingerprint.
   */
  begin: (workspaceId: string, debate: NewDebate, leaseMs: number) => Promise<BegunDebate>;
  /** Takes a running debate of any workspace that nobody holds; undefined: there is none. */
  acquire: (leaseMs: number) => Promise<LeasedDebate | undefined>;
  /** False: it is lost. */
  renew: (leased: LeasedDebate, leaseMs: number) => Promise<boolean>;
  /** Gives it back, so that another replica takes it at once. */
  release: (leased: LeasedDebate) => Promise<void>;
  /**
   * Keeps the steps in one transaction and answers their events. Rejects with `LeaseLost`. An
   * answer of the same agent and round that is kept already stays, and is told no second time.
   */
  save: (leased: LeasedDebate, steps: readonly DebateStep[]) => Promise<readonly DebateEvent[]>;
};

export type BegunDebate =
  | { isNew: true; leased: LeasedDebate }
  | { isNew: false; debateId: string };

/** Of a debate, what says where it stands. */
export type FoundDebate = {
  state: DebateState;
  /** Empty of a panel. */
  conversationId: string;
  /** Of the last event. */
  lastSeq: number;
};

/** Debates as anybody reads them. What is not there is undefined. */
export type DebateArchive = {
  /** Without reading what was said. */
  find: (workspaceId: string, debateId: string) => Promise<FoundDebate | undefined>;
  load: (workspaceId: string, debateId: string) => Promise<StoredDebate | undefined>;
  /** Those after `afterSeq`, in order; undefined: there is no such debate (any more). */
  readEvents: (
    workspaceId: string,
    debateId: string,
    afterSeq: number,
  ) => Promise<readonly DebateEvent[] | undefined>;
  /** Deletes all panels of an owner; who holds one finds out by its next write. */
  deletePanels: (workspaceId: string, owner: string) => Promise<void>;
};
