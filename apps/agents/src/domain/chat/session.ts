import type { GuardedMemory } from '../memory/guard-memories.ts';
import type { Memory } from '../memory/memory.ts';
import type { StoredMemory } from '../memory/memory-store.ts';

/** A thread of one agent's chat. */
export type Session = {
  id: string;
  title: string;
  createdAt: Date;
  messageCount: number;
  /** It was held on the machine, and is continued there only. */
  isLocalOnly: boolean;
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
  isLocalOnly: boolean;
  /** A turn of it was tainted. */
  isTainted: boolean;
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
  /** Its calls stayed on the machine. */
  isLocalOnly: boolean;
  isTainted: boolean;
};

export type SavedMemory = Pick<
  StoredMemory,
  'key' | 'value' | 'type' | 'isLocalOnly' | 'isGlobalDenied'
>;

/** What a workspace keeps of its sessions. Those of other workspaces and agents are not there. */
export type SessionStore = {
  insert: (
    workspaceId: string,
    session: Omit<Session, 'messageCount'> & { agentId: string },
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
  /** A summary that was made on the machine marks its session, also when the turn fails then. */
  saveSummary: (
    workspaceId: string,
    id: string,
    summary: { text: string; until: number; isLocalOnly: boolean },
  ) => Promise<void>;
};
