import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '@witan/testing';
import { expectProven } from './expect-proven.ts';
import { expectSent } from './expect-sent.ts';
import { toSeenUsage, LANES } from './lanes.ts';
import { openBench } from './open-bench.ts';
import type { Bench } from './open-bench.ts';
import { sendSpeech } from './send-speech.ts';
import type { Finish, Turn } from './test-client.ts';

const FINISHES: readonly Finish[] = ['stop', 'length', 'content_filter'];
const PIECES = ['Grüß ', 'dich, ', '世界 ', '🌍'];
const TEXT = PIECES.join('');

describe('an answer', () => {
  let bench: Bench;

  beforeAll(async () => {
    bench = await openBench('in-process');
  });
  afterAll(async () => {
    await bench[Symbol.asyncDispose]();
  });

  describe.each(LANES)('from %s', (_title, lane) => {
    const { model, dialect } = lane.vendor;

    it.each(FINISHES)(
      'has the text and finish reason of the model when it is plain: %s',
      async (end) => {
        const client = bench.clientOf(lane);
        bench.script(sendSpeech(dialect, { text: PIECES, finish: end }));
        const answer = await client.ask({ model, turns: [{ user: 'Say hello.' }] });
        const usage = { input: 11, output: 7 };
        expect(answer).toMatchObject({
          text: TEXT,
          calls: [],
          finish: client.finishNames[end],
          usage,
        });
        await expectProven(bench, lane, { finishReason: end, usage });
      },
    );

    it.each(FINISHES)(
      'has the text and finish reason of the model when it is streamed: %s',
      async (end) => {
        const client = bench.clientOf(lane);
        bench.script(sendSpeech(dialect, { text: PIECES, finish: end }));
        const pieces: string[] = [];
        const turns = [{ user: 'Say hello.' }];
        const onText = (piece: string): void => void pieces.push(piece);
        const answer = await client.ask({ model, streamed: true, turns, onText });
        const usage = { input: 11, output: 7 };
        expect(answer).toMatchObject({ text: TEXT, calls: [], finish: client.finishNames[end] });
        expect(answer.usage).toEqual(toSeenUsage(lane, usage));
        expect(pieces.join('')).toBe(TEXT);
        await expectProven(bench, lane, { finishReason: end, usage });
      },
    );

    it('is the same however its stream is split into packets', async () => {
      bench.script(sendSpeech(dialect, { text: PIECES }, { byteByByte: true, lineEnd: '\r\n' }));
      const turns = [{ user: 'Say hello.' }];
      const answer = await bench.clientOf(lane).ask({ model, streamed: true, turns });
      expect(answer.text).toBe(TEXT);
      await expectProven(bench, lane, { finishReason: 'stop', usage: { input: 11, output: 7 } });
    });

    it.each([false, true])('counts cached tokens once (streamed: %s)', async (streamed) => {
      const client = bench.clientOf(lane);
      bench.script(
        sendSpeech(dialect, { text: PIECES, usage: { input: 11, cached: 4, output: 7 } }),
      );
      const answer = await client.ask({ model, streamed, turns: [{ user: 'Again.' }] });
      const usage = { input: 15, output: 7 };
      expect(answer.usage).toEqual(streamed ? toSeenUsage(lane, usage) : usage);
      await expectProven(bench, lane, { finishReason: 'stop', usage });
    });

    it.each([false, true])('follows earlier turns (streamed: %s)', async (streamed) => {
      const client = bench.clientOf(lane);
      const system = 'Be brief.';
      const turns: Turn[] = [{ user: 'What is the capital of Norway?' }];
      bench.script(
        sendSpeech(dialect, { text: ['Os', 'lo.'] }),
        sendSpeech(dialect, { text: PIECES }),
      );
      const first = await client.ask({ model, streamed, system, turns });
      turns.push({ answer: first }, { user: 'Greet it.' });
      expect((await client.ask({ model, streamed, system, turns })).text).toBe(TEXT);
      await expectProven(bench, lane, { finishReason: 'stop', usage: { input: 11, output: 7 } });
      const messages = [
        { role: 'user', content: 'What is the capital of Norway?' },
        { role: 'assistant', content: 'Oslo.' },
        { role: 'user', content: 'Greet it.' },
      ];
      expectSent(bench, lane, {
        'chat-completions': { messages: [{ role: 'system', content: system }, ...messages] },
        messages: { system, messages },
      });
    });
  });

  it('is returned to its own client under concurrency', async () => {
    const asked = LANES.flatMap(([, lane]) =>
      [1, 2, 3, 4].map((index) => ({ lane, word: `${lane.kind.name} ${lane.crossed} ${index}` })),
    );
    for (const _call of asked) bench.script(repeatQuestion);
    const answers = asked.map(async ({ lane, word }) => {
      const turns = [{ user: `<<${word}>>` }];
      const { model } = lane.vendor;
      return (await bench.clientOf(lane).ask({ model, streamed: true, turns })).text;
    });
    expect(await Promise.all(answers)).toEqual(asked.map(({ word }) => word));
  });
});

/**
 * Answers with the text that the question contains between `<<` and `>>`, one character per frame.
 */
const repeatQuestion: Script = async (exchange) => {
  const { body, path } = exchange.request;
  const [, word = ''] = /<<(.*?)>>/.exec(body.toString()) ?? [];
  const dialect = path.endsWith('/messages') ? 'messages' : 'chat-completions';
  await sendSpeech(dialect, { text: [...word] })(exchange);
};
