export type FinishReason = 'stop' | 'length' | 'tool_calls';

/** `arguments` is JSON text; it is incomplete only if the finish reason is `length`. */
export type ToolCall = {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
};

export type Usage = {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
};

export type AnswerMessage = {
  readonly role: 'assistant';
  readonly content: string | null;
  readonly refusal: string | null;
  readonly tool_calls?: readonly ToolCall[];
};

export type Choice = {
  readonly index: number;
  readonly message: AnswerMessage;
  readonly logprobs: null;
  readonly finish_reason: FinishReason;
};

/** A whole answer in the wire format of the chat-completions dialect (docs/spec.md#4.6). */
export type ChatCompletion = {
  readonly id: string;
  readonly object: 'chat.completion';
  readonly created: number;
  readonly model: string;
  readonly choices: readonly Choice[];
  readonly usage: Usage;
  readonly system_fingerprint: string;
};

export type ToolCallDelta = {
  readonly index: number;
  readonly id?: string;
  readonly type?: 'function';
  readonly function: { readonly name?: string; readonly arguments: string };
};

export type Delta = {
  readonly role?: 'assistant';
  readonly content?: string | null;
  readonly refusal?: string | null;
  readonly tool_calls?: readonly ToolCallDelta[];
};

export type ChatCompletionChunk = {
  readonly id: string;
  readonly object: 'chat.completion.chunk';
  readonly created: number;
  readonly model: string;
  readonly system_fingerprint: string;
  readonly choices: readonly {
    readonly index: number;
    readonly delta: Delta;
    readonly logprobs: null;
    readonly finish_reason: FinishReason | null;
  }[];
  readonly usage?: Usage | null;
};
