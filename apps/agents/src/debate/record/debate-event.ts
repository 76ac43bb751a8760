import type { TokenUsage } from '@witan/dialects';
import type { ConversationMessage, ConversationRound } from '../conversation/conversation.ts';
import type { Absence, Issue, Synthesis } from '../debate.ts';

export type DebateEvent = {
  debateId: string;
  seq: number;
  roundNumber: number;
  agentId: string;
} & DebateEventBody;

export type DebateEventBody =
  /** In panels, `message` is undefined and `conversationId` is empty. */
  | {
      kind: 'started';
      conversationId: string;
      message: ConversationMessage | undefined;
      agents: readonly DebatingAgent[];
    }
  | { kind: 'framed'; issues: readonly Issue[] }
  | { kind: 'round-started' }
  | { kind: 'agent-completed'; message: ConversationMessage }
  | { kind: 'agent-failed'; agentName: string; reason: Absence['reason'] }
  | { kind: 'round-completed'; round: ConversationRound }
  | { kind: 'synthesis-completed'; message: ConversationMessage; synthesis: Synthesis }
  | {
      kind: 'done';
      convergenceScore: number;
      messages: readonly ConversationMessage[];
      rounds: readonly ConversationRound[];
      synthesis: Synthesis;
      usage: TokenUsage;
      proofIds: readonly string[];
    }
  | { kind: 'failed'; failure: DebateFailure };

export type DebatingAgent = { id: string; name: string };

export type DebateFailure = {
  kind: string;
  code: string;
  message: string;
};
