import type { GuardedMemory } from '../memory/guard-memories.ts';
import type { Memory } from '../memory/memory.ts';
import type { StoredMemory } from '../memory/memory-store.ts';

export type Session = {
  id: string;
  title: string;
  createdAt: Date;
  messageCount: number;
  /** A local-only session can be continued only on the machine. */
  isLocalOnly: boolean;
};

export type Message = {
  senderType: 'user' | 'agent';
  /** Empty for the user's messages. */
  agentName: string;
  content: string;
};

/** Positions increase within a session. */
export type PlacedMessage = Message & { position: number };

/** A session as a turn reads it. */
export type SessionHistory = {
  /** The newest, in order. */
  messages: PlacedMessage[];
  /** Summary of the messages up to `summaryUntil`; empty: none. */
  summary: string;
  summaryUntil: number;
  isLocalOnly: boolean;
  /** A turn of the session was tainted. */
  isTainted: boolean;
};

/** The data that a turn stores. */
export type TurnRecord = {
  agentId: string;
  sessionId: string;
  /** Title of a new session; absent: the session must exist. */
  newTitle?: string;
  question: string;
  answer: string;
  agentName: string;
  proofIds: string[];
  memories: readonly GuardedMemory[];
  /** Memories shown in the prompt. */
  used: readonly Memory[];
  /** The turn's calls stayed on the machine. */
  isLocalOnly: boolean;
  isTainted: boolean;
};

export type SavedMemory = Pick<
  StoredMemory,
  'key' | 'value' | 'type' | 'isLocalOnly' | 'isGlobalDenied'
>;

/** Stores the sessions of a workspace; those of other workspaces and agents are not found. */
export type SessionStore = {
  insert: (
    workspaceId: string,
    session: Omit<Session, 'messageCount'> & { agentId: string },
  ) => Promise<void>;
  /** Latest activity first; `after` is the last id of the previous page. */
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
   * Returns the newest messages, up to `limit` and a size in bytes. Rejects with CONFLICT
   * `session_full` if the session takes no more messages.
   */
  loadHistory: (
    workspaceId: string,
    agentId: string,
    id: string,
    limit: number,
  ) => Promise<SessionHistory | undefined>;
  /**
   * Writes a turn in one transaction: its session if new, both messages, its memories. Returns the
   * memories in order. Throws NOT_FOUND if session or agent were deleted meanwhile.
   */
  saveTurn: (workspaceId: string, turn: TurnRecord) => Promise<SavedMemory[]>;
  /** A summary made on the machine marks its session as local-only, even if the turn fails. */
  saveSummary: (
    workspaceId: string,
    id: string,
    summary: { text: string; until: number; isLocalOnly: boolean },
  ) => Promise<void>;
};
