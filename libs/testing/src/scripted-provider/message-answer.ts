import { mergeDeep } from './merge-deep.ts';

/** Text that is whole, or the pieces that a stream sends it in. */
export type ScriptedText = string | readonly string[];

/** One content block of a scripted message. */
export type ScriptedBlock =
  | { readonly type: 'text'; readonly text: ScriptedText }
  | { readonly type: 'thinking'; readonly thinking: ScriptedText; readonly signature?: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  /** `input` is the JSON text of an object; no text at all stands for `{}`, as providers do. */
  | {
      readonly type: 'tool_use';
      readonly id?: string;
      readonly name: string;
      readonly input: ScriptedText;
    };

/** What the scripted model says in the messages dialect. */
export type MessageAnswer = {
  /** Short for one text block; `pong` unless given or `blocks` are. */
  readonly content?: ScriptedText;
  /** The content blocks in order; `content` is not looked at then. */
  readonly blocks?: readonly ScriptedBlock[];
  /** `tool_use` when a block is one, `stop_sequence` with `stopSequence`, else `end_turn`. */
  readonly stopReason?: string;
  readonly stopSequence?: string;
  readonly id?: string;
  readonly model?: string;
  /** Laid over three input tokens, one output token and nothing cached. */
  readonly usage?: Readonly<Record<string, unknown>>;
  /** Laid over the message, and over every event of a stream, at any depth. */
  readonly extra?: object;
  /** Laid over the events of a stream by their type, after `extra`. */
  readonly eventExtra?: Readonly<Record<string, object>>;
};

/** An event of a message stream; `type` is also its name on the wire. */
export type MessageEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

const DEFAULT_USAGE = {
  input_tokens: 3,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 1,
};

/** The answer as one `message` body. */
export function toMessage(answer: MessageAnswer = {}): object {
  const body = {
    ...toHead(answer),
    content: toBlocks(answer).map(toWholeBlock),
    ...toStop(answer),
    usage: toUsage(answer),
  };
  return mergeDeep(body, answer.extra) as object;
}

/**
 * The answer as the events of a stream: `message_start`, `ping`, every block from start to stop,
 * `message_delta`, `message_stop`. The start counts the prompt and one output token at most; the
 * delta has the whole usage, so that whoever adds the two up is found out.
 */
export function toMessageEvents(answer: MessageAnswer = {}): MessageEvent[] {
  const { extra, eventExtra = {} } = answer;
  const usage = toUsage(answer);
  const { stop_reason, stop_sequence } = toStop(answer);
  const message = {
    ...toHead(answer),
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

function toHead({ id, model }: MessageAnswer): object {
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

function toStop(answer: MessageAnswer): {
  stop_reason: string;
  stop_sequence: string | null;
} {
  const { stopReason, stopSequence = null } = answer;
  const callsTools = toBlocks(answer).some(({ type }) => type === 'tool_use');
  const natural = callsTools ? 'tool_use' : 'end_turn';
  const usual = stopSequence === null ? natural : 'stop_sequence';
  return { stop_reason: stopReason ?? usual, stop_sequence: stopSequence };
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

/** A block as it starts, and how it grows. */
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
      // Providers open a call with an empty piece; a test that says its pieces gets just those.
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
