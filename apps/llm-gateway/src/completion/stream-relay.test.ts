import { describe, expect, it } from '@jest/globals';
import { MESSAGES, relayFrames } from '../../test/open-relay.ts';
import type { Setting } from '../../test/open-relay.ts';
import { chatFrame as data, DONE, messageFrames } from '../../test/provider-answers.ts';
import {
  BLOCKS,
  delta,
  ERROR,
  MESSAGE_ERROR,
  MORE_TEXT_FRAME,
  PIECES,
  ROLE,
  SECOND_CHOICE_FRAME,
  STOP_FRAME,
  TEXT,
  USAGE,
} from '../../test/stream-frames.ts';

describe('a stream in the dialect of its client', () => {
  it('passes every byte of a stream without usage', () => {
    const frames = [
      ': hello\n\n',
      ROLE,
      TEXT,
      MORE_TEXT_FRAME,
      SECOND_CHOICE_FRAME,
      ...PIECES,
      STOP_FRAME,
      DONE,
    ];
    expect(relayFrames(frames).client).toBe(frames.join(''));
  });

  it('passes every byte of a message, its usage included', () => {
    const frames = [...BLOCKS.slice(0, 5), ': ping\n\n', 'event: new\ndata: {"type":"new"}\n\n'];
    frames.push(...BLOCKS.slice(5));
    expect(relayFrames(frames, MESSAGES).client).toBe(frames.join(''));
  });

  it.each([
    ['a CR without LF', 'data: {"choices":[]}\r\rdata: [DONE]\n\n'],
    ['a late byte order mark', `\ufeff${MORE_TEXT_FRAME}`],
  ])('ends at %s, after which clients read other frames', (_name, frame) => {
    const { client, ended, contradiction } = relayFrames([ROLE, TEXT, frame, STOP_FRAME, DONE]);
    expect(client).toBe(ROLE + TEXT);
    expect(ended).toBeUndefined();
    expect(contradiction).toContain('clients read other lines');
  });

  it('ends at an event without a name in a stream with names', () => {
    const nameless = BLOCKS.map((frame) => frame.slice(frame.indexOf('data:')));
    const mixed = [...BLOCKS.slice(0, 3), ...nameless.slice(3)];
    expect(relayFrames(mixed, MESSAGES).contradiction).toContain('the name of an event');
    expect(relayFrames(nameless, MESSAGES).ended).toBe('done');
  });

  it('removes the usage chunk for a client that did not request it, and counts it', () => {
    const { client, delivered } = relayFrames([ROLE, TEXT, STOP_FRAME, USAGE, DONE]);
    expect(client).toBe([ROLE, TEXT, STOP_FRAME, DONE].join(''));
    expect(delivered.usage).toEqual({ promptTokens: 3, completionTokens: 4, totalTokens: 7 });
  });

  it('passes the usage chunk to a client that requested it', () => {
    const frames = [ROLE, TEXT, STOP_FRAME, USAGE, DONE];
    expect(relayFrames(frames, { wantsUsage: true }).client).toBe(frames.join(''));
  });

  it('buffers lifecycle frames until there is content', () => {
    const { passed } = relayFrames([ROLE, ': ping\n\n', data(delta({})), TEXT, MORE_TEXT_FRAME]);
    expect(passed).toEqual([
      '',
      '',
      '',
      `${ROLE}: ping\n\n${data(delta({}))}${TEXT}`,
      MORE_TEXT_FRAME,
    ]);
  });

  it('buffers the start of a message until there is content', () => {
    const [start = '', ping = '', open = '', po = ''] = messageFrames();
    const { passed } = relayFrames([start, ping, open, po], MESSAGES);
    expect(passed).toEqual(['', '', '', start + ping + open + po]);
  });

  it('buffers at most 256 KiB', () => {
    const comment = `: ${'a'.repeat(100_000)}\n\n`;
    const { passed } = relayFrames([comment, comment, comment, comment]);
    expect(passed).toEqual(['', '', '', comment.repeat(4)]);
  });

  it('withholds the terminal event', () => {
    const { passed, last } = relayFrames([ROLE, TEXT, STOP_FRAME, DONE]);
    expect(passed.at(-1)).toBe('');
    expect(last).toBe(DONE);
    expect(relayFrames(BLOCKS, MESSAGES).last).toBe(BLOCKS.at(-1));
  });

  it('drops frames after the end', () => {
    const { client, sha256 } = relayFrames([TEXT, DONE, MORE_TEXT_FRAME, ERROR, DONE]);
    expect(client).toBe(TEXT + DONE);
    expect(sha256).toBe(relayFrames([TEXT, DONE]).sha256);
  });

  it('ends with the error frame of the provider', () => {
    const { ended, passed, client } = relayFrames([ROLE, TEXT, ERROR]);
    expect(ended).toBe('error');
    expect(passed.at(-1)).toBe('');
    expect(client).toBe(ROLE + TEXT + ERROR);
  });

  it('emits nothing for an error before content', () => {
    const { ended, passed } = relayFrames([ROLE, ': ping\n\n', ERROR]);
    expect(ended).toBe('error');
    expect(passed).toEqual(['', '', '']);
  });

  it('commits to the texts and tool calls of all choices', () => {
    const { delivered } = relayFrames([
      ROLE,
      TEXT,
      SECOND_CHOICE_FRAME,
      ...PIECES,
      MORE_TEXT_FRAME,
      STOP_FRAME,
      DONE,
    ]);
    expect(delivered.choices()).toEqual([
      {
        index: 0,
        content: 'Grüße 😀 and more',
        toolCalls: [{ id: 'call_1', name: 'f', arguments: '{"a":"é"}' }],
      },
      { index: 1, content: 'other choice', toolCalls: [] },
    ]);
  });
});

describe('a stream in the other dialect', () => {
  const TRANSLATED: Setting = { ...MESSAGES, client: 'chat-completions' };

  it('is decoded to pieces frame by frame', () => {
    const { passed } = relayFrames(messageFrames({ content: ['po', 'ng'] }), TRANSLATED);
    expect(passed).toEqual(['', '', '', 'text:"po"\n', 'text:"ng"\n', '', '', '']);
  });

  it('emits pieces that the decoder buffered when the stream ends', () => {
    const [first, second] = [0, 1].map((index) => ({
      index,
      id: `call_${index}`,
      function: { name: 'f', arguments: '{"a":' },
    }));
    // Neither tool call is complete: the decoder buffers the second one behind the first.
    const { passed, last, delivered } = relayFrames(
      [ROLE, data(delta({ tool_calls: [first, second] })), DONE],
      { client: 'messages' },
    );
    expect(passed.slice(0, 2).join('')).toContain('call_0');
    expect(passed.join('') + last).toContain('call_1');
    expect(delivered.choices()[0]!.toolCalls.map(({ id }) => id)).toEqual(['call_0', 'call_1']);
  });

  it('takes the usage from its provider', () => {
    const { delivered } = relayFrames(messageFrames(), TRANSLATED);
    expect(delivered.usage).toMatchObject({ promptTokens: 3, completionTokens: 1 });
    expect(delivered.contentBytes).toBeGreaterThan(0);
  });

  it('names the stop sequence that ended it', () => {
    expect(relayFrames(messageFrames({ stopSequence: 'END' }), TRANSLATED).stopSequence).toBe(
      'END',
    );
    expect(relayFrames(messageFrames(), TRANSLATED).stopSequence).toBe('');
  });

  it('emits nothing for an error', () => {
    const { client, ended } = relayFrames(
      [...messageFrames().slice(0, 4), MESSAGE_ERROR],
      TRANSLATED,
    );
    expect(client).toBe('text:"po"\n');
    expect(ended).toBe('error');
  });
});
