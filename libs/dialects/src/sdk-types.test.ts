import { describe, expect, it } from '@jest/globals';
import type * as Anthropic from '@anthropic-ai/sdk/resources/messages';
import type * as Chat from 'openai/resources/chat/completions';
import type { CompletionUsage } from 'openai/resources/completions';
import type * as Responses from 'openai/resources/responses/responses';
import type { AnswerHead, AnswerPiece, AnswerTail } from './dialect.ts';
import {
  encodeResponse as encodeCompletion,
  encodeUsage as encodeChatUsage,
} from './chat-completions/encode-response.ts';
import { toChunkHead } from './chat-completions/encode-stream.ts';
import type { Delta } from './chat-completions/encode-stream.ts';
import {
  encodeResponse as encodeMessage,
  encodeUsage as encodeMessageUsage,
} from './messages/encode-response.ts';
import type { Block } from './messages/encode-response.ts';
import { openingMessage } from './messages/encode-stream.ts';
import type { BlockDelta } from './messages/encode-stream.ts';
import { encodeResponse } from './responses/encode-response.ts';
import type { OutputItem } from './responses/write-items.ts';

/**
 * The compiler checks that what Witan writes has the types that the official clients read. Each
 * `Omit` lists all deviations: members that the client's type requires and a provider may leave
 * out. Members of Witan that the type does not have, such as `reasoning_content`, are allowed.
 */
describe('answers have the types of the official clients', () => {
  it('chat.completion', () => {
    const completion: Chat.ChatCompletion = encodeCompletion(HEAD, PIECES, TAIL);
    const usage: CompletionUsage = encodeChatUsage(TAIL.usage);
    expect([completion.choices[0]?.message.content, usage.total_tokens]).toEqual(['Hi', 3]);
  });

  it('chat.completion.chunk', () => {
    const toDelta = (delta: Delta): Chat.ChatCompletionChunk.Choice.Delta => delta;
    const head: Omit<Chat.ChatCompletionChunk, 'choices'> = toChunkHead(HEAD);
    expect([toDelta({ content: 'Hi' }), head.id]).toEqual([{ content: 'Hi' }, 'chatcmpl-1']);
  });

  it('message', () => {
    type Message = Omit<
      Anthropic.Message,
      'container' | 'diagnostics' | 'stop_details' | 'content' | 'usage'
    >;
    const message: Message = encodeMessage(HEAD, PIECES, TAIL);
    const opening: Message = openingMessage(HEAD);
    // Counts of a cache that the provider did not report are absent, where the type has null.
    type Usage = Pick<Anthropic.Usage, 'input_tokens' | 'output_tokens'>;
    const usage: Usage = encodeMessageUsage(TAIL.usage);
    expect([message.id, opening.id, usage]).toMatchObject(['msg_1', 'msg_1', { input_tokens: 2 }]);
  });

  it('content_block', () => {
    type SdkBlock =
      | Omit<Anthropic.TextBlock, 'citations'>
      | Omit<Anthropic.ToolUseBlock, 'caller'>
      | Anthropic.ThinkingBlock
      | Anthropic.RedactedThinkingBlock;
    const toBlock = (block: Block): SdkBlock => block;
    expect(toBlock({ type: 'text', text: 'Hi' })).toEqual({ type: 'text', text: 'Hi' });
  });

  it('content_block_delta', () => {
    const toDelta = (delta: BlockDelta): Anthropic.RawContentBlockDelta => delta;
    expect(toDelta({ type: 'text_delta', text: 'Hi' })).toMatchObject({ text: 'Hi' });
  });

  it('response', () => {
    // The client computes `output_text`. Before the end, `usage` is null, as from the provider.
    type Response = Omit<
      Responses.Response,
      'access_programs' | 'output_text' | 'output' | 'usage'
    > & { usage: Responses.ResponseUsage | null };
    const response: Response = encodeResponse(HEAD, PIECES, TAIL);
    const toItem = (item: OutputItem): Responses.ResponseOutputItem => item;
    const { output } = encodeResponse(HEAD, PIECES, TAIL);
    expect([response.status, output.map((item) => toItem(item).type)]).toEqual([
      'completed',
      ['message'],
    ]);
  });
});

const HEAD: AnswerHead = {
  id: '1',
  created: 1,
  model: 'm',
  promptTokensEstimate: 2,
  wantsUsage: true,
};
const PIECES: readonly AnswerPiece[] = [{ case: 'text', value: 'Hi' }];
const TAIL: AnswerTail = {
  finishReason: 'stop',
  stopSequence: '',
  usage: { promptTokens: 2, completionTokens: 1, totalTokens: 3, estimated: false },
};
