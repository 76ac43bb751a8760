import type { ModelCall, ModelPiece, OpenCall, ToolCall } from '@witan/dialects';

export type Script = {
  texts?: readonly string[];
  reasoning?: string;
  toolCalls?: readonly ToolCall[];
  finishReason?: string;
};

const OPENED_FIELDS = { provider: 'p', model: 'm', providerMs: 1, droppedParams: [] };
export const USAGE = { promptTokens: 10, completionTokens: 2, totalTokens: 12 };

/**
 * Returns a fake model that plays the next script on each call, and records the calls and the
 * delivered texts.
 */
export const scriptModel = (...scripts: Script[]) => {
  const calls: ModelCall[] = [];
  const delivered: string[] = [];
  const openCall: OpenCall = (call) => {
    const { texts = [], reasoning, toolCalls = [], ...script } = scripts[calls.length]!;
    calls.push(call);
    const requestsTools = toolCalls.length > 0;
    const { finishReason = requestsTools ? 'tool_calls' : 'stop' } = script;
    const answerId = call.answerProofId ?? call.proofId;
    const pieces = async function* (): AsyncGenerator<ModelPiece> {
      yield { kind: 'opened', ...OPENED_FIELDS, proofId: answerId };
      if (reasoning) yield { kind: 'reasoning', text: reasoning };
      for (const text of texts) yield { kind: 'text', text };
      for (const toolCall of toolCalls) yield { kind: 'toolCall', call: toolCall };
      const proofId = requestsTools ? call.proofId : answerId;
      yield { kind: 'ending', finishReason, usage: USAGE, proofId };
    };
    return { pieces: pieces(), deliver: (content) => void delivered.push(content) };
  };
  return { openCall, calls, delivered };
};
