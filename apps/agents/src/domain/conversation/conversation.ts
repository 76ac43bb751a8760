import type { KeyPoint, RoundReport, Stance } from '../debate/debate.ts';

/** Thread of questions to the whole council. */
export type Conversation = {
  id: string;
  title: string;
  userId: string;
  createdAt: Date;
  messageCount: number;
};

export type ConversationMessage = {
  id: string;
  senderType: 'user' | 'agent' | 'synthesis';
  agentId: string;
  agentName: string;
  content: string;
  createdAt: Date;
  debateId: string;
  /** 1-based for agents; 0 for others. */
  roundNumber: number;
  proofIds: readonly string[];
  stances: readonly Stance[];
  /** Strongest first; empty unless sent by an agent. */
  keyPoints: readonly KeyPoint[];
  changedMind: boolean;
  changeReason: string;
  /**
   * The provider's finish reason; any other than `stop` means cut off. Empty unless sent by an
   * agent.
   */
  finishReason: string;
  /** The agent failed in this round, and its previous answer is used. */
  isStale: boolean;
};

export type ConversationRound = {
  /** The user's message that the debate answers; empty for a panel. */
  messageId: string;
  debateId: string;
  roundNumber: number;
  convergenceScore: number;
  report: RoundReport;
};

export type EarlierDebate = { question: string; synthesis: string };

export type ConversationStore = {
  insert: (workspaceId: string, conversation: Omit<Conversation, 'messageCount'>) => Promise<void>;
  /** Newest first; `after` is the last id of the previous page. */
  list: (workspaceId: string, page: { limit: number; after?: string }) => Promise<Conversation[]>;
  find: (
    workspaceId: string,
    id: string,
  ) => Promise<
    | { conversation: Conversation; messages: ConversationMessage[]; rounds: ConversationRound[] }
    | undefined
  >;
  has: (workspaceId: string, id: string) => Promise<boolean>;
  /**
   * Returns the newest questions with a synthesis, oldest first, except that of the debate
   * `debateId`. Includes local-only ones only if `withSensitive`.
   */
  findEarlier: (
    workspaceId: string,
    id: string,
    besides: { debateId: string; max: number; withSensitive: boolean },
  ) => Promise<EarlierDebate[]>;
  /**
   * Deletes the conversation with its debates; events already published remain. A runner that
   * leases one of the debates stops at its next write.
   */
  delete: (workspaceId: string, id: string) => Promise<boolean>;
};
