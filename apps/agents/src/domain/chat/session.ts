import type { GuardedMemory } from '../memory/guard-memories.ts';
import type { Memory } from '../memory/memory.ts';

/** A thread of one agent's chat. */
export type Session = {
  id: string;
  title: string;
  createdAt: Date;
  messageCount: number;
};

/** What somebody said. */
export type Message = {
  senderType: 'user' | 'agent';
  /** Empty on the user's. */
  agentName: string;
  content: string;
};

/** Messages have places that grow. */
export type PlacedMessage = Message & { position: number };

/** A session as a turn needs it. */
export type SessionHistory = {
  /** The newest, in order. */
  messages: PlacedMessage[];
  /** Of what was said up to `summaryUntil`; empty: there is none. */
  summary: string;
  summaryUntil: number;
};

/** What a turn leaves behind. */
export type TurnRecord = {
  agentId: string;
  sessionId: string;
  /** The session is new, and is called so; absent: it must be there. */
  newTitle?: string;
  question: string;
  answer: string;
  agentName: string;
  proofIds: string[];
  memories: readonly GuardedMemory[];
  /** What the prompt showed. */
  used: readonly Memory[];
};

export type SavedMemory = { key: string; value: string; type: string };

/** What a workspace keeps of its sessions. Those of other workspaces and agents are not there. */
export type SessionStore = {
  insert: (
    workspaceId: string,
    session: { id: string; agentId: string; title: string; createdAt: Date },
  ) => Promise<void>;
  /** Latest activity first; `after` is the id of the last one of the page before. */
  list: (
    workspaceId: string,
    agentId: string,
    page: { limit: number; after?: string },
  ) => Promise<Session[]>;
  find: (
    workspaceId: string,
    agentId: string,
    id: string,
  ) => Promise<{ session: Session; messages: Message[] } | undefined>;
  delete: (workspaceId: string, agentId: string, id: string) => Promise<boolean>;
  /**
   * Up to `limit` messages, the newest; of very long ones fewer. Rejects with CONFLICT
   * `session_full` when no more may be said in the session.
   */
  loadHistory: (
    workspaceId: string,
    agentId: string,
    id: string,
    limit: number,
  ) => Promise<SessionHistory | undefined>;
  /**
   * Writes a turn in one transaction: its session if that is new, both messages, its memories;
   * answers those in order. NOT_FOUND when session or agent were deleted meanwhile.
   */
  saveTurn: (workspaceId: string, turn: TurnRecord) => Promise<SavedMemory[]>;
  saveSummary: (
    workspaceId: string,
    id: string,
    summary: { text: string; until: number },
  ) => Promise<void>;
};
