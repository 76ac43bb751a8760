import type { FieldMap } from '../answer/check-fields.ts';
import type { Agent } from '../agent/agent.ts';
import type { GuardedMemories } from '../memory/guard-memories.ts';
import type { ModelOpening, TokenUsage } from '../model/model-call.ts';
import type { ToolRun, TurnTool } from '../tool/tool.ts';
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
  /** What the agent may call before it answers. */
  tools: readonly TurnTool[];
  /** `model` as the client named the agent. */
  requested: string;
  /** Its calls stay on the machine, and so does what is made of them. */
  isSensitive: boolean;
  /** The client asked for `+knowledge`. */
  wantsKnowledge?: boolean;
  /** The client sees what is said as it is said. */
  isShownLive: boolean;
  /** The client hears of each tool that is called. */
  areToolsShown: boolean;
  /** The certificate's of the answer. */
  proofId: string;
  requestSha256: string;
};

/** What the client sees of a turn as it goes on: opened once, before everything else. */
export type TurnPiece =
  | ModelOpening
  | { kind: 'tool'; run: ToolRun }
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
  /** In the order in which the model asked for them. */
  toolRuns: ToolRun[];
  finishReason: string;
  /** Of the prompt that was prepared, as the provider counted. */
  firstPromptTokens: number;
  /** Of every call of the turn. */
  usage: TokenUsage;
  /** Certificates of every call of the turn, in order. */
  proofIds: string[];
  /** As the prompt of its last call. */
  isTainted: boolean;
};
