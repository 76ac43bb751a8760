import type { ModelEnding, TokenUsage, ToolCall } from '../model/model-call.ts';

/** The output of one model call of a turn. */
export type CallOutput = Pick<ModelEnding, 'repeated'> & {
  /** Without thoughts and tags. */
  text: string;
  thoughts: string;
  /** Tool calls requested; may be empty. */
  toolCalls: ToolCall[];
  finishReason: string;
  usage: TokenUsage;
  /** Id of the certificate. */
  proofId: string;
};
