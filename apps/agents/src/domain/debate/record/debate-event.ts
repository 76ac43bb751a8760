import type { ConversationMessage, ConversationRound } from '../../conversation/conversation.ts';
import type { TokenUsage } from '../../model/model-call.ts';
import type { Absence, Issue, Synthesis } from '../debate.ts';
import type { DebateFailure, DebatingAgent } from './debate-store.ts';

/** A stored event of a debate, replayed to each follower. */
export type DebateEvent = {
  debateId: string;
  /** From 1, without gaps. */
  seq: number;
  /** 0 outside rounds. */
  roundNumber: number;
  /** Empty except on agent events. */
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
  /** In panels the message belongs to no conversation. */
  | { kind: 'agent-completed'; message: ConversationMessage }
  | { kind: 'agent-failed'; agentName: string; reason: Absence['reason'] }
  | { kind: 'round-completed'; round: ConversationRound }
  | { kind: 'synthesis-completed'; message: ConversationMessage; synthesis: Synthesis }
  /** The last event of a successful debate. */
  | {
      kind: 'done';
      /** Score of the last round. */
      convergenceScore: number;
      /** The user's message, the agents' round by round, the synthesis. */
      messages: readonly ConversationMessage[];
      rounds: readonly ConversationRound[];
      synthesis: Synthesis;
      /** Sum over all calls with a stored answer. */
      usage: TokenUsage;
      /** Certificates of the same calls: the framing, the answers round by round, the synthesis. */
      proofIds: readonly string[];
    }
  /** The last event of a failed debate. */
  | { kind: 'failed'; failure: DebateFailure };
