import type { ModelEnding, TokenUsage, ToolCall } from '../model/model-call.ts';

/** What one model call of a turn said. */
export type CallOutput = Pick<ModelEnding, 'repeated'> & {
  /** As the model wrote it, but for its thoughts and tags. */
  text: string;
  thoughts: string;
  /** What it asks for before it answers; of a call that asks for nothing, none. */
  toolCalls: ToolCall[];
  finishReason: string;
  usage: TokenUsage;
  /** The certificate's. */
  proofId: string;
};
