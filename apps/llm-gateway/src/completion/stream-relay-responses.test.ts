import { describe, expect, it } from '@jest/globals';
import { toResponseEvents } from '@witan/testing';
import { parseSavedAnswer } from '@witan/proof';
import fc from 'fast-check';
import { openRelay, relay, relayFrames } from '../../test/open-relay.ts';
import type { Setting } from '../../test/open-relay.ts';
import { DONE, messageFrame, responseFrames } from '../../test/provider-answers.ts';

const RESPONSES: Setting = { provider: 'responses', client: 'responses', wantsUsage: true };
const ANSWER = {
  text: ['Hi ', 'Zoë'],
  calls: [{ id: 'call_a', name: 'f', arguments: '{"x":1.0}' }],
};
const FRAMES = responseFrames(ANSWER);
const TERMINAL = FRAMES.at(-1)!;
const toChunks = (frames: readonly string[]) => frames.map((frame) => Buffer.from(frame));

describe('a responses stream in the dialect of its client', () => {
  it('passes every byte, and ends with [DONE] whether or not the provider sends it', () => {
    for (const frames of [FRAMES, [...FRAMES, DONE]]) {
      const { client, last, ended, finishReason, delivered } = relayFrames(frames, RESPONSES);
      expect(client).toBe(FRAMES.join('') + DONE);
      expect(last).toBe(TERMINAL + DONE);
      expect([ended, finishReason]).toEqual(['done', 'tool_calls']);
      expect(delivered.choices()).toEqual([
        {
          index: 0,
          content: 'Hi Zoë',
          toolCalls: [{ id: 'call_a', name: 'f', arguments: '{"x":1.0}' }],
        },
      ]);
      expect(delivered.usage).toMatchObject({ promptTokens: 3, completionTokens: 1 });
    }
  });

  it('passes events and members that are not known', () => {
    const unknown = messageFrame({ type: 'response.of_tomorrow', sequence_number: 5 } as never);
    const frames = [...FRAMES.slice(0, 5), unknown, ': comment\n\n', ...FRAMES.slice(5)];
    expect(relayFrames(frames, RESPONSES).client).toBe(frames.join('') + DONE);
  });

  it('sends nothing before there is content', () => {
    const { passed } = relayFrames(FRAMES.slice(0, 5), RESPONSES);
    expect(passed).toEqual(['', '', '', '', FRAMES.slice(0, 5).join('')]);
  });

  it('is cut off by [DONE] without a terminal event, which the client does not get', () => {
    const { client, ended } = relayFrames([...FRAMES.slice(0, 6), DONE], RESPONSES);
    expect(client).toBe(FRAMES.slice(0, 6).join(''));
    expect(ended).toBe('cut');
  });

  it('ends with a failure of the provider, and [DONE]', () => {
    const failed = messageFrame({
      type: 'response.failed',
      sequence_number: 6,
      response: { id: 'resp_scripted', status: 'failed', error: { message: 'gone' } },
    } as never);
    const { last, ended, finishReason } = relayFrames([...FRAMES.slice(0, 6), failed], RESPONSES);
    expect(last).toBe(failed + DONE);
    expect([ended, finishReason]).toEqual(['error', 'error']);
  });

  it.each([
    ['max_output_tokens', 'length'],
    ['content_filter', 'content_filter'],
  ])('is incomplete by %s: %s', (incomplete, reason) => {
    const frames = responseFrames({ ...ANSWER, incomplete });
    expect(relayFrames(frames, RESPONSES)).toMatchObject({ ended: 'done', finishReason: reason });
  });
});

describe.each(['chat-completions', 'messages'] as const)(
  'a responses stream for a client of %s',
  (client) => {
    it('is decoded to pieces', () => {
      const { client: text, finishReason } = relayFrames(FRAMES, { ...RESPONSES, client });
      expect(text).toBe(
        [
          'text:"Hi "',
          'text:"Zoë"',
          'toolCall:{"id":"call_a","name":"f"}',
          'toolArguments:"{\\"x\\":"',
          'toolArguments:"1.0}"',
          '',
        ].join('\n'),
      );
      expect(finishReason).toBe('tool_calls');
    });
  },
);

describe('a responses stream whose events are missing, repeated or in another order', () => {
  const EVENTS = toResponseEvents(ANSWER);
  const mutated = fc
    .array(
      fc.record({
        event: fc.constantFrom(...EVENTS),
        moved: fc.option(fc.nat(2), { nil: undefined, freq: 3 }),
      }),
      { maxLength: 2 * EVENTS.length },
    )
    .map((events) =>
      events.map(({ event, moved: output_index }) =>
        messageFrame(output_index === undefined ? event : ({ ...event, output_index } as never)),
      ),
    );
  const clients = ['responses', 'chat-completions', 'messages'] as const;

  it('ends only with its terminal event, and is certified as it was delivered', () => {
    fc.assert(
      fc.property(mutated, fc.constantFrom(...clients), (frames, client) => {
        const { ended, contradiction, passed, delivered, ...end } = relayFrames(frames, {
          ...RESPONSES,
          client,
        });
        const isComplete = frames.some((frame) => frame.startsWith('event: response.completed\n'));
        expect(contradiction ?? ended).toBe(contradiction ?? (isComplete ? 'done' : undefined));
        const saved = contradiction === undefined ? end.client : passed.join('');
        if (client !== 'responses' || saved === '') return;
        expect(parseSavedAnswer(Buffer.from(saved))).toEqual(delivered.choices());
      }),
    );
  });

  it('is the same however it is split into packets', () => {
    const text = Buffer.from(FRAMES.join(''));
    fc.assert(
      fc.property(fc.array(fc.nat(text.length)), fc.constantFrom(...clients), (cuts, client) => {
        const points = [0, ...cuts, text.length].toSorted((a, b) => a - b);
        const chunks = points.slice(1).map((end, index) => text.subarray(points[index], end));
        const split = relay(chunks, { ...RESPONSES, client });
        const whole = relay(toChunks(FRAMES), { ...RESPONSES, client });
        expect([split.client, split.sha256]).toEqual([whole.client, whole.sha256]);
      }),
    );
  });

  it('ends without its last blank line', () => {
    const stream = openRelay(RESPONSES);
    for (const frame of FRAMES) stream.push(Buffer.from(frame === TERMINAL ? frame.trim() : frame));
    stream.finish();
    expect(stream.ended).toBe('done');
  });
});
