import type { FieldMap } from '../answer/check-fields.ts';
import type { Agent } from '../agent/agent.ts';
import type { GuardedMemories } from '../memory/guard-memories.ts';
import type { TokenUsage } from '../model/model-call.ts';
import type { PreparedPrompt } from './prepare-prompt.ts';

/** A JSON object is wanted; without fields and schema, any. */
export type JsonWish = { fields: FieldMap; schema: string };

/** How one turn is to be answered. */
export type TurnWish = {
  /** Thoughts first, and apart from the answer. */
  reflection: boolean;
  /** Absent: text. */
  json?: JsonWish;
  temperature?: number;
  maxOutputTokens?: number;
};

/** A turn that is ready to be asked. */
export type Turn = {
  agent: Agent;
  prepared: PreparedPrompt;
  wish: TurnWish;
  /** `model` as the client named the agent. */
  requested: string;
  isSensitive: boolean;
  proofId: string;
  requestSha256: string;
};

/** What the client sees of a turn as it goes on: opened once, before the first delta. */
export type TurnPiece =
  | { kind: 'opened'; provider: string; model: string; proofId: string; providerMs: number }
  | { kind: 'delta'; text: string };

/** How a turn ended. */
export type TurnOutcome = {
  /** All deltas together. */
  content: string;
  /** The object that was asked for; undefined when none was, or the answer was none. */
  object: Record<string, unknown> | undefined;
  /** Empty: there were none. */
  thoughts: string;
  memories: GuardedMemories;
  finishReason: string;
  /** Of the prompt that was prepared, as the provider counted. */
  firstPromptTokens: number;
  /** Of every call of the turn. */
  usage: TokenUsage;
  /** Certificates of every call of the turn, in order. */
  proofIds: string[];
};
