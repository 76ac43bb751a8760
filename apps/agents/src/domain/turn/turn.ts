import type { FieldMap } from '../answer/check-fields.ts';
import type { Agent } from '../agent/agent.ts';
import type { GuardedMemories } from '../memory/guard-memories.ts';
import type { ModelOpening, TokenUsage } from '../model/model-call.ts';
import type { ToolRun, TurnTool } from '../tool/tool.ts';
import type { PreparedPrompt } from './prepare-prompt.ts';

/** Requests a JSON object; without fields and schema, any. */
export type JsonWish = { fields: FieldMap; schema: string };

/** Options of a turn's answer. */
export type TurnWish = {
  /** The model writes thoughts, separate from the answer. */
  reflection: boolean;
  /** Absent: text. */
  json?: JsonWish;
  temperature?: number;
  maxOutputTokens?: number;
};

/** A turn with its prompt prepared. */
export type Turn = {
  agent: Agent;
  prepared: PreparedPrompt;
  wish: TurnWish;
  /** Tools offered in the turn. */
  tools: readonly TurnTool[];
  /** `model` as the client named the agent. */
  requested: string;
  /** Calls stay on the machine, and data derived from them is local-only. */
  isSensitive: boolean;
  /** The client requested `+knowledge`. */
  wantsKnowledge?: boolean;
  /** The client receives the text as it arrives. */
  isShownLive: boolean;
  /** The client receives events of tool calls. */
  areToolsShown: boolean;
  /** Id of the answer's certificate. */
  proofId: string;
  requestSha256: string;
};

/** Events of a turn for the client; `opened` comes once and first. */
export type TurnPiece =
  | ModelOpening
  | { kind: 'tool'; run: ToolRun }
  | { kind: 'delta'; text: string };

/** The result of a turn. */
export type TurnOutcome = {
  /** All deltas together. */
  content: string;
  /** The requested object; undefined if none was requested or the answer is invalid. */
  object: Record<string, unknown> | undefined;
  /** Empty if there are none. */
  thoughts: string;
  memories: GuardedMemories;
  /** In the order requested by the model. */
  toolRuns: ToolRun[];
  finishReason: string;
  /** Tokens of the prepared prompt, by the provider's count. */
  firstPromptTokens: number;
  /** Sum of all calls of the turn. */
  usage: TokenUsage;
  /** Certificates of all calls of the turn, in order. */
  proofIds: string[];
  /** Whether the prompt of its last call was tainted. */
  isTainted: boolean;
};
