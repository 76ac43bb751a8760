import type { AcceptedMemory } from '../memory/tags/filter-memory-tags.ts';
import type { Memory } from '../memory/memory.ts';
import type { StoredMemory } from '../memory/memory-store.ts';

export type Session = {
  id: string;
  title: string;
  createdAt: Date;
  messageCount: number;
  isLocalOnly: boolean;
};

export type Message = {
  senderType: 'user' | 'agent';
  agentName: string;
  content: string;
};

/** `proofIds` are the certificates of the model calls behind a message of an agent. */
export type CertifiedMessage = Message & { proofIds: string[] };

export type PositionedMessage = Message & { position: number };

export type SessionHistory = {
  /** The newest messages of the session, in chronological order. */
  messages: PositionedMessage[];
  /** Summary of the messages up to position `summaryUntil`; empty if there is none. */
  summary: string;
  summaryUntil: number;
  isLocalOnly: boolean;
  isTainted: boolean;
};

export type TurnRecord = {
  agentId: string;
  sessionId: string;
  /** Title of a new session; undefined if the session must exist already. */
  newTitle?: string;
  question: string;
  answer: string;
  agentName: string;
  proofIds: string[];
  memories: readonly AcceptedMemory[];
  shownMemories: readonly Memory[];
  isLocalOnly: boolean;
  isTainted: boolean;
};

export type SavedMemory = Pick<
  StoredMemory,
  'key' | 'value' | 'type' | 'isLocalOnly' | 'isGlobalDenied'
>;

export type SessionStore = {
  insert: (
    workspaceId: string,
    session: Omit<Session, 'messageCount'> & { agentId: string },
  ) => Promise<void>;
  /**
   * Lists sessions by latest activity, newest first; `after` is the last id of the previous page.
   */
  list: (
    workspaceId: string,
    agentId: string,
    page: { limit: number; after?: string },
  ) => Promise<Session[]>;
  find: (
    workspaceId: string,
    agentId: string,
    id: string,
  ) => Promise<{ session: Session; messages: CertifiedMessage[] } | undefined>;
  delete: (workspaceId: string, agentId: string, id: string) => Promise<boolean>;
  /**
   * Returns the newest messages, at most `limit` and at most 8 MiB; undefined if there is no such
   * session. Rejects with CONFLICT `session_full` if no further message can be stored.
   */
  loadHistory: (
    workspaceId: string,
    agentId: string,
    id: string,
    limit: number,
  ) => Promise<SessionHistory | undefined>;
  /**
   * Stores a turn in one transaction: the session if it is new, both messages, and the memories,
   * which are returned in the given order. Rejects with NOT_FOUND if the session or the agent was
   * deleted during the turn.
   */
  saveTurn: (workspaceId: string, turn: TurnRecord) => Promise<SavedMemory[]>;
  /**
   * Stores a summary and, if `isLocalOnly`, marks the session as local-only at once, even if the
   * turn fails later. Does nothing if the stored summary covers as many messages or more.
   */
  saveSummary: (
    workspaceId: string,
    id: string,
    summary: { text: string; until: number; isLocalOnly: boolean },
  ) => Promise<void>;
};
