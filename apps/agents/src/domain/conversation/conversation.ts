import type { KeyPoint, RoundReport, Stance } from '../debate/debate.ts';

/** A thread of questions to the whole council. */
export type Conversation = {
  /** Prefix `cnv_`. */
  id: string;
  title: string;
  /** Who created it. */
  userId: string;
  createdAt: Date;
  messageCount: number;
};

/** What was said in a conversation: by the user, by an agent in a round, or as the synthesis. */
export type ConversationMessage = {
  /** Prefix `msg_`. */
  id: string;
  senderType: 'user' | 'agent' | 'synthesis';
  /** Empty on others than agents'. */
  agentId: string;
  agentName: string;
  content: string;
  createdAt: Date;
  debateId: string;
  /** 1-based on agents'; 0 on others. */
  roundNumber: number;
  /** Certificates of the calls that it came from, in order. */
  proofIds: readonly string[];
  /** Of an agent that took a stance. */
  stances: readonly Stance[];
  /** What it argued, the strongest first; empty on others than agents'. */
  keyPoints: readonly KeyPoint[];
  changedMind: boolean;
  changeReason: string;
  /** How the model ended it; other than `stop`: cut off. Empty on others than agents'. */
  finishReason: string;
  /** The agent's answer of the round before. */
  isStale: boolean;
};

/** One round of one of a conversation's debates. */
export type ConversationRound = {
  /** The user's message that the debate answers; empty of a panel. */
  messageId: string;
  debateId: string;
  /** Restarts at 1 with each debate. */
  roundNumber: number;
  convergenceScore: number;
  report: RoundReport;
};

/** What was asked in a conversation, and what the council said. */
export type EarlierDebate = { question: string; synthesis: string };

/** What a workspace keeps of its conversations. Those of other workspaces are not there. */
export type ConversationStore = {
  insert: (workspaceId: string, conversation: Omit<Conversation, 'messageCount'>) => Promise<void>;
  /** Newest first; `after` is the id of the last one of the page before. */
  list: (workspaceId: string, page: { limit: number; after?: string }) => Promise<Conversation[]>;
  /** With all its messages in order, and the rounds of its debates. */
  find: (
    workspaceId: string,
    id: string,
  ) => Promise<
    | { conversation: Conversation; messages: ConversationMessage[]; rounds: ConversationRound[] }
    | undefined
  >;
  has: (workspaceId: string, id: string) => Promise<boolean>;
  /**
   * The newest questions that have a synthesis, apart from a debate's own, oldest first; those that
   * stayed on the machine only `withSensitive`.
   */
  findEarlier: (
    workspaceId: string,
    id: string,
    besides: { debateId: string; max: number; withSensitive: boolean },
  ) => Promise<EarlierDebate[]>;
  /**
   * Nothing of it remains but what was published of it, which is on its way or has arrived; who
   * holds its debate finds out by its next write.
   */
  delete: (workspaceId: string, id: string) => Promise<boolean>;
};
