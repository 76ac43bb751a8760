import { create } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { describe, expect, it } from '@jest/globals';
import { ConversationSchema } from '@witan/contracts';
import type { PartSchema } from '@witan/contracts';
import { createDroppedFields } from '../neutral/dropped-fields.ts';
import { encodeTurns } from './encode-turns.ts';

type Init = MessageInitShape<typeof ConversationSchema>;
type PartInit = MessageInitShape<typeof PartSchema>;

const encode = (init: Init) => {
  const dropped = createDroppedFields();
  const messages = encodeTurns(create(ConversationSchema, init), dropped);
  return { messages: JSON.parse(JSON.stringify(messages)) as unknown[], dropped: dropped.names() };
};

const text = (value: string, cacheControl = ''): PartInit => ({
  part: { case: 'text', value: { text: value, cacheControl } },
});
const call = (id: string, argumentsText = '{"a": 1.0}'): PartInit => ({
  part: { case: 'toolCall', value: { id, name: 'f', arguments: argumentsText } },
});
const result = (toolCallId: string, parts: PartInit[], isError = false): PartInit => ({
  part: { case: 'toolResult', value: { toolCallId, parts, isError } },
});
const image: PartInit = {
  part: {
    case: 'image',
    value: { media: { mediaType: 'image/png', source: { case: 'base64', value: 'AA==' } } },
  },
};
const reasoning: PartInit = { part: { case: 'reasoning', value: { text: 'hm', signature: 's' } } };
const user = (...parts: PartInit[]) => ({ role: 'user', parts });
const assistant = (...parts: PartInit[]) => ({ role: 'assistant', parts });

describe('encodeTurns', () => {
  it('joins instructions into one system message', () => {
    const system = [{ text: 'a' }, { text: '' }, { text: 'b' }];
    expect(encode({ system, turns: [user(text('x'))] }).messages).toEqual([
      { role: 'system', content: 'a\n\nb' },
      { role: 'user', content: 'x' },
    ]);
  });

  it('puts tool results before the text of their turn, one message each', () => {
    const turns = [
      assistant(call('1'), call('2')),
      user(text('go on'), result('1', [text('one'), text('1')]), result('2', [])),
    ];
    expect(encode({ turns }).messages.slice(1)).toEqual([
      { role: 'tool', tool_call_id: '1', content: 'one\n\n1' },
      { role: 'tool', tool_call_id: '2', content: '' },
      { role: 'user', content: 'go on' },
    ]);
  });

  it("does not join a user's parts", () => {
    const parts = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ];
    expect(encode({ turns: [user(text('a'), text('b'))] }).messages).toEqual([
      { role: 'user', content: parts },
    ]);
  });

  it('moves media of results to the next message, and refers to them', () => {
    const turns = [user(result('1', [text('see'), image]), text('well?'))];
    expect(encode({ turns }).messages).toEqual([
      {
        role: 'tool',
        tool_call_id: '1',
        content: 'see\n\n[The media of this result follow in the next user message.]',
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Media of the result of tool call 1:' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
          { type: 'text', text: 'well?' },
        ],
      },
    ]);
  });

  it.each([
    ['failed', [text('not found')], 'Error: not found'],
    ['already starts with an error', [text('ERROR 404')], 'ERROR 404'],
    ['failed without text', [], 'Error'],
    ['failed with text that only resembles an error', [text('Errorless')], 'Error: Errorless'],
  ])('marks a result that %s', (_name, parts, content) => {
    expect(encode({ turns: [user(result('1', parts, true))] }).messages).toEqual([
      { role: 'tool', tool_call_id: '1', content },
    ]);
  });

  it('preserves arguments exactly, and encodes absent ones as an empty object', () => {
    const turns = [assistant(text('a'), text('b'), call('1'), call('2', '')), user(text('x'))];
    expect(encode({ turns }).messages[0]).toEqual({
      role: 'assistant',
      content: 'a\n\nb',
      tool_calls: [
        { id: '1', type: 'function', function: { name: 'f', arguments: '{"a": 1.0}' } },
        { id: '2', type: 'function', function: { name: 'f', arguments: '{}' } },
      ],
    });
  });

  it('has null content if an assistant only called tools or refused', () => {
    const refusal: PartInit = { part: { case: 'refusal', value: { text: 'no' } } };
    const turns = [assistant(call('1')), user(text('x')), assistant(refusal), user(text('y'))];
    expect(encode({ turns }).messages).toMatchObject([
      { content: null, tool_calls: [{}] },
      {},
      { content: null, refusal: 'no' },
      {},
    ]);
  });

  it('reports reasoning as dropped, and omits a turn of reasoning only', () => {
    const turns = [user(text('x')), assistant(reasoning), user(text('y'))];
    expect(encode({ turns })).toEqual({
      messages: [
        { role: 'user', content: 'x' },
        { role: 'user', content: 'y' },
      ],
      dropped: ['messages[].content[].thinking'],
    });
  });

  it('reports prompt-cache marks as dropped in all positions', () => {
    const mark = '{"type":"ephemeral"}';
    const marked = result('1', [text('x', mark)]);
    const turns = [assistant(text('a', mark)), user(marked, text('b', mark))];
    expect(encode({ system: [{ text: 's', cacheControl: mark }], turns }).dropped).toEqual([
      'messages[].content[].cache_control',
      'messages[].content[].content[].cache_control',
      'system[].cache_control',
    ]);
  });

  it.each([
    [
      'an answer for the model to continue',
      [user(text('x')), assistant(text('{'))],
      'messages[1].role',
    ],
    [
      'an assistant turn with media',
      [assistant(text('a'), image), user(text('x'))],
      'messages[0].content[1].type',
    ],
    [
      'a user turn with a tool call',
      [user(text('x')), user(call('1'))],
      'messages[1].content[0].type',
    ],
    [
      'a result within a result',
      [user(result('1', [result('2', [])]))],
      'messages[0].content[0].content[0].type',
    ],
  ])('refuses %s', (_name, turns, param) => {
    expect(() => encode({ turns })).toThrow(
      expect.objectContaining({ fields: { param, code: 'unsupported_parameter' } }),
    );
  });
});
