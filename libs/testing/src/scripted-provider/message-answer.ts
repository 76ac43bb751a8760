import { mergeDeep } from './chat-answer.ts';

export type ScriptedText = string | readonly string[];

export type ScriptedBlock =
  | { readonly type: 'text'; readonly text: ScriptedText }
  | { readonly type: 'thinking'; readonly thinking: ScriptedText; readonly signature?: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  /** `input` is the JSON text of an object. As with real providers, an empty text means `{}`. */
  | {
      readonly type: 'tool_use';
      readonly id?: string;
      readonly name: string;
      readonly input: ScriptedText;
    };

export type MessageAnswer = {
  readonly content?: ScriptedText;
  readonly blocks?: readonly ScriptedBlock[];
  /**
   * By default `tool_use` if there is a block of that type, `stop_sequence` if a stop sequence is
   * given, otherwise `end_turn`.
   */
  readonly stopReason?: string;
  readonly stopSequence?: string;
  readonly id?: string;
  readonly model?: string;
  /** Merged into the default usage of three input tokens and one output token. */
  readonly usage?: Readonly<Record<string, unknown>>;
  /** Deep-merged into the message, or into every event of a stream. */
  readonly extra?: object;
  /** Objects by event type, each deep-merged into the stream events of its type after `extra`. */
  readonly eventExtra?: Readonly<Record<string, object>>;
};

export type MessageEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

const DEFAULT_USAGE = {
  input_tokens: 3,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 1,
};

export function toMessage(answer: MessageAnswer = {}): object {
  const body = {
    ...toMessageFields(answer),
    content: toBlocks(answer).map(toWholeBlock),
    ...toStopFields(answer),
    usage: toUsage(answer),
  };
  return mergeDeep(body, answer.extra) as object;
}

/**
 * Returns the events of a streamed message. As with real providers, `message_start` counts at most
 * one output token and `message_delta` all of them, so that a client that adds the two fails its
 * test.
 */
export function toMessageEvents(answer: MessageAnswer = {}): MessageEvent[] {
  const { extra, eventExtra = {} } = answer;
  const usage = toUsage(answer);
  const { stop_reason, stop_sequence } = toStopFields(answer);
  const message = {
    ...toMessageFields(answer),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: Math.min(Number(usage['output_tokens']), 1) },
  };
  const events: MessageEvent[] = [
    { type: 'message_start', message },
    { type: 'ping' },
    ...toBlocks(answer).flatMap(toBlockEvents),
    { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage },
    { type: 'message_stop' },
  ];
  return events.map((event) => {
    const extended = mergeDeep(event, extra);
    return mergeDeep(extended, eventExtra[event.type]) as MessageEvent;
  });
}

function toMessageFields({ id, model }: MessageAnswer): object {
  return {
    id: id ?? 'msg_scripted',
    type: 'message',
    role: 'assistant',
    model: model ?? 'claude-test',
  };
}

function toUsage({ usage }: MessageAnswer): Record<string, unknown> {
  return { ...DEFAULT_USAGE, ...usage };
}

function toStopFields(answer: MessageAnswer): {
  stop_reason: string;
  stop_sequence: string | null;
} {
  const { stopReason, stopSequence = null } = answer;
  const callsTools = toBlocks(answer).some(({ type }) => type === 'tool_use');
  const defaultReason = callsTools ? 'tool_use' : 'end_turn';
  const inferredReason = stopSequence === null ? defaultReason : 'stop_sequence';
  return { stop_reason: stopReason ?? inferredReason, stop_sequence: stopSequence };
}

function toBlocks({ blocks, content = ['po', 'ng'] }: MessageAnswer): readonly ScriptedBlock[] {
  return blocks ?? [{ type: 'text', text: content }];
}

function toWholeBlock(block: ScriptedBlock, index: number): object {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: join(block.text) };
    case 'thinking':
      return { type: 'thinking', thinking: join(block.thinking), signature: signatureOf(block) };
    case 'redacted_thinking':
      return block;
    case 'tool_use': {
      const input: unknown = JSON.parse(join(block.input) || '{}');
      return { type: 'tool_use', id: toolIdOf(block, index), name: block.name, input };
    }
  }
}

function toBlockEvents(block: ScriptedBlock, index: number): MessageEvent[] {
  const { content_block, deltas } = toStreamed(block, index);
  return [
    { type: 'content_block_start', index, content_block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

function toStreamed(
  block: ScriptedBlock,
  index: number,
): { content_block: object; deltas: object[] } {
  switch (block.type) {
    case 'text':
      return {
        content_block: { type: 'text', text: '' },
        deltas: pieces(block.text).map((text) => ({ type: 'text_delta', text })),
      };
    case 'thinking':
      return {
        content_block: { type: 'thinking', thinking: '', signature: '' },
        deltas: [
          ...pieces(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
          { type: 'signature_delta', signature: signatureOf(block) },
        ],
      };
    case 'redacted_thinking':
      return { content_block: block, deltas: [] };
    case 'tool_use': {
      const { name, input } = block;
      // As with real providers, the first piece of a tool call is empty. Pieces that the test lists
      // are sent unchanged.
      const texts = typeof input === 'string' ? ['', input] : input;
      return {
        content_block: { type: 'tool_use', id: toolIdOf(block, index), name, input: {} },
        deltas: texts.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
      };
    }
  }
}

function join(text: ScriptedText): string {
  return pieces(text).join('');
}

function pieces(text: ScriptedText): readonly string[] {
  return typeof text === 'string' ? [text] : text;
}

function signatureOf({ signature = 'c2NyaXB0ZWQ=' }: { readonly signature?: string }): string {
  return signature;
}

function toolIdOf({ id }: { readonly id?: string }, index: number): string {
  return id ?? `toolu_${index}`;
}
