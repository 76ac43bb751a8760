import type { ModelCall, OpenCall } from '@witan/dialects';
import type { RunTool } from '../tool/tool.ts';
import type { ModelOpening, TokenUsage, ModelEnding, ToolCall } from '@witan/dialects';
import type { Agent } from '../agent/agent.ts';
import type { FilteredMemories } from '../memory/tags/filter-memory-tags.ts';
import type { ToolRun, TurnTool } from '../tool/tool.ts';
import type { PreparedPrompt, TurnOptions } from './prepare-prompt.ts';

export type Turn = {
  agent: Agent;
  prepared: PreparedPrompt;
  options: TurnOptions;
  tools: readonly TurnTool[];
  requested: string;
  /** True if calls must stay on the machine and data derived from them is local-only. */
  isSensitive: boolean;
  wantsKnowledge?: boolean;
  isShownLive: boolean;
  areToolsShown: boolean;
  proofId: string;
  requestSha256: string;
};

/** Event of a turn; `opened` comes first and once. */
export type TurnPiece =
  | ModelOpening
  | { kind: 'tool'; run: ToolRun }
  | { kind: 'delta'; text: string };

export type TurnOutcome = {
  content: string;
  object: Record<string, unknown> | undefined;
  thoughts: string;
  memories: FilteredMemories;
  /** Tool calls of the turn with their results, in the order in which the model requested them. */
  toolRuns: ToolRun[];
  finishReason: string;
  firstPromptTokens: number;
  usage: TokenUsage;
  proofIds: string[];
  isTainted: boolean;
};

export type CallOutput = Pick<ModelEnding, 'repeated'> & {
  text: string;
  thoughts: string;
  toolCalls: ToolCall[];
  /** True if the tool calls were written as text; the call is then certified as an answer. */
  wroteCalls?: boolean;
  finishReason: string;
  usage: TokenUsage;
  proofId: string;
};

export type TurnDeps = {
  openCall: OpenCall;
  runTool: RunTool;
  toolRoundsMax: number;
  newId: (prefix: string) => string;
};

type CallParts = Pick<ModelCall, 'proofId' | 'prompt' | 'answerProofId'> &
  Pick<PreparedPrompt, 'grounding'>;

export const toAgentAddress = (
  { slug, model }: Pick<Agent, 'slug' | 'model'>,
  sensitive: boolean,
): { requested: string; kind: string; agent: string; model: string; sensitive: boolean } => ({
  requested: `agent:${slug}`,
  kind: 'agent',
  agent: slug,
  model,
  sensitive,
});

export const toCall = (
  { agent, requested, isSensitive, wantsKnowledge, requestSha256 }: Turn,
  parts: CallParts,
): ModelCall => ({
  ...parts,
  requestSha256,
  purpose: 'chat',
  address: {
    ...toAgentAddress(agent, isSensitive),
    requested,
    knowledge: wantsKnowledge ?? false,
  },
});
