import type { ConversationMessage, ConversationRound } from '../../conversation/conversation.ts';
import type { TokenUsage } from '../../model/model-call.ts';
import type { Absence, Issue, Synthesis } from '../debate.ts';
import type { DebateFailure, DebatingAgent } from './debate-store.ts';

/** What happened in a debate, as it is told again to whoever asks. */
export type DebateEvent = {
  debateId: string;
  /** From 1, without gaps: only what is stored has a place. */
  seq: number;
  /** 0 before the first round and after the last. */
  roundNumber: number;
  /** Of agent events; empty on others. */
  agentId: string;
} & DebateEventBody;

export type DebateEventBody =
  /** `message` is undefined in a panel, and `conversationId` empty. */
  | {
      kind: 'started';
      conversationId: string;
      message: ConversationMessage | undefined;
      agents: readonly DebatingAgent[];
    }
  | { kind: 'framed'; issues: readonly Issue[] }
  | { kind: 'round-started' }
  /** Also of panels, where the message is no conversation's. */
  | { kind: 'agent-completed'; message: ConversationMessage }
  | { kind: 'agent-failed'; agentName: string; reason: Absence['reason'] }
  | { kind: 'round-completed'; round: ConversationRound }
  | { kind: 'synthesis-completed'; message: ConversationMessage; synthesis: Synthesis }
  /** The last one of a debate that ended well. */
  | {
      kind: 'done';
      /** Of the last round. */
      convergenceScore: number;
      /** The user's, the agents' round by round, the synthesis. */
      messages: readonly ConversationMessage[];
      rounds: readonly ConversationRound[];
      synthesis: Synthesis;
      /** Of every call whose answer was kept. */
      usage: TokenUsage;
      /** Of the same calls: the framing, the answers round by round, the synthesis. */
      proofIds: readonly string[];
    }
  /** The last one of a debate that failed. */
  | { kind: 'failed'; failure: DebateFailure };
