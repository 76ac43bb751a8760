import type { KeyPoint, RoundReport, Stance } from '../debate.ts';

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
  /** Round of the debate, from 1; 0 for messages of the user and for syntheses. */
  roundNumber: number;
  proofIds: readonly string[];
  stances: readonly Stance[];
  /** Key points of an agent, strongest first; empty for other senders. */
  keyPoints: readonly KeyPoint[];
  changedMind: boolean;
  changeReason: string;
  /**
   * Finish reason of the provider; `stop` means that the text is complete. Empty if it is unknown
   * or the sender is not an agent.
   */
  finishReason: string;
  /** True if the agent timed out in this round and its previous answer is reused. */
  isStale: boolean;
};

export type ConversationRound = {
  /** Id of the user's message that the debate answers; empty for a panel. */
  messageId: string;
  debateId: string;
  roundNumber: number;
  convergenceScore: number;
  report: RoundReport;
};

export type EarlierDebate = { question: string; synthesis: string };

export type ConversationStore = {
  insert: (workspaceId: string, conversation: Omit<Conversation, 'messageCount'>) => Promise<void>;
  /** Lists conversations, newest first; `after` is the last id of the previous page. */
  list: (workspaceId: string, page: { limit: number; after?: string }) => Promise<Conversation[]>;
  find: (
    workspaceId: string,
    id: string,
  ) => Promise<
    | { conversation: Conversation; messages: ConversationMessage[]; rounds: ConversationRound[] }
    | undefined
  >;
  exists: (workspaceId: string, id: string) => Promise<boolean>;
  /**
   * Returns the questions and syntheses of the newest debates, at most `max`, oldest first and
   * without the debate `debateId`. Local-only debates are included only if `withSensitive`.
   */
  findEarlier: (
    workspaceId: string,
    id: string,
    besides: { debateId: string; max: number; withSensitive: boolean },
  ) => Promise<EarlierDebate[]>;
  /**
   * Deletes the conversation with its debates; returns false if it does not exist. Published events
   * remain, and a process that runs one of the debates stops at its next write.
   */
  delete: (workspaceId: string, id: string) => Promise<boolean>;
};
