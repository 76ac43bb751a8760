import type { ModelEnding, TokenUsage, ToolCall } from '../completion/model-call.ts';

export type CallOutput = Pick<ModelEnding, 'repeated'> & {
  text: string;
  thoughts: string;
  toolCalls: ToolCall[];
  finishReason: string;
  usage: TokenUsage;
  proofId: string;
};
