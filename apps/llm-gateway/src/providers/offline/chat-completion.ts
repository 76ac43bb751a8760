/** Finish reasons of the chat-completions dialect. */
export type FinishReason = 'stop' | 'length' | 'tool_calls';

/** A requested function call; `arguments` is JSON text, cut short only by `length`. */
export type ToolCall = {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
};

/** Token counts of one completion; the offline provider's are estimates (`estimateTokens`). */
export type Usage = {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
};

/** The assistant's message of one choice: text, a refusal or tool calls. */
export type AnswerMessage = {
  readonly role: 'assistant';
  readonly content: string | null;
  readonly refusal: string | null;
  readonly tool_calls?: readonly ToolCall[];
};

/** One of the `n` answers, with its index. */
export type Choice = {
  readonly index: number;
  readonly message: AnswerMessage;
  readonly logprobs: null;
  readonly finish_reason: FinishReason;
};

/** A whole answer in the wire shape of the chat-completions dialect (docs/spec.md#4.6). */
export type ChatCompletion = {
  readonly id: string;
  readonly object: 'chat.completion';
  readonly created: number;
  readonly model: string;
  readonly choices: readonly Choice[];
  readonly usage: Usage;
  readonly system_fingerprint: string;
};

/** A piece of a tool call: the first has `id`, `type` and `name`, later ones only arguments. */
export type ToolCallDelta = {
  readonly index: number;
  readonly id?: string;
  readonly type?: 'function';
  readonly function: { readonly name?: string; readonly arguments: string };
};

/** The content that one chunk adds to a choice. */
export type Delta = {
  readonly role?: 'assistant';
  readonly content?: string | null;
  readonly refusal?: string | null;
  readonly tool_calls?: readonly ToolCallDelta[];
};

/** One `data:` frame of a streamed answer; `usage` is present only when the client asked. */
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
