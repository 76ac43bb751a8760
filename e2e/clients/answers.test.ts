import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '@witan/testing';
import { expectProven } from './expect-proven.ts';
import { expectSent } from './expect-sent.ts';
import { toReportedUsage, PAIRINGS, VENDORS } from './pairings.ts';
import { openClientSetup } from './open-client-setup.ts';
import type { ClientSetup } from './open-client-setup.ts';
import { sendModelOutput } from './send-model-output.ts';
import type { FinishReason, Turn } from './test-client.ts';

const FINISH_REASONS: readonly FinishReason[] = ['stop', 'length', 'content_filter'];
const PIECES = ['Grüß ', 'dich, ', '世界 ', '🌍'];
const TEXT = PIECES.join('');

describe('an answer', () => {
  let setup: ClientSetup;

  beforeAll(async () => {
    setup = await openClientSetup('in-process');
  });
  afterAll(async () => {
    await setup[Symbol.asyncDispose]();
  });

  describe.each(PAIRINGS)('from %s', (_title, pairing) => {
    const { model, dialect } = pairing.vendor;

    it.each(FINISH_REASONS)(
      'has the text and finish reason of the model when it is plain: %s',
      async (reason) => {
        const client = setup.clientOf(pairing);
        setup.script(sendModelOutput(dialect, { text: PIECES, finishReason: reason }));
        const answer = await client.ask({ model, turns: [{ user: 'Say hello.' }] });
        const usage = { input: 11, output: 7 };
        expect(answer).toMatchObject({
          text: TEXT,
          calls: [],
          finishReason: client.finishNames[reason],
          usage,
        });
        await expectProven(setup, pairing, { finishReason: reason, usage });
      },
    );

    it.each(FINISH_REASONS)(
      'has the text and finish reason of the model when it is streamed: %s',
      async (reason) => {
        const client = setup.clientOf(pairing);
        setup.script(sendModelOutput(dialect, { text: PIECES, finishReason: reason }));
        const pieces: string[] = [];
        const turns = [{ user: 'Say hello.' }];
        const onText = (piece: string): void => void pieces.push(piece);
        const answer = await client.ask({ model, streamed: true, turns, onText });
        const usage = { input: 11, output: 7 };
        expect(answer).toMatchObject({
          text: TEXT,
          calls: [],
          finishReason: client.finishNames[reason],
        });
        expect(answer.usage).toEqual(toReportedUsage(pairing, usage));
        expect(pieces.join('')).toBe(TEXT);
        await expectProven(setup, pairing, { finishReason: reason, usage });
      },
    );

    it('is the same however its stream is split into packets', async () => {
      setup.script(
        sendModelOutput(dialect, { text: PIECES }, { byteByByte: true, lineEnd: '\r\n' }),
      );
      const turns = [{ user: 'Say hello.' }];
      const answer = await setup.clientOf(pairing).ask({ model, streamed: true, turns });
      expect(answer.text).toBe(TEXT);
      await expectProven(setup, pairing, { finishReason: 'stop', usage: { input: 11, output: 7 } });
    });

    it.each([false, true])('counts cached tokens once (streamed: %s)', async (streamed) => {
      const client = setup.clientOf(pairing);
      setup.script(
        sendModelOutput(dialect, { text: PIECES, usage: { input: 11, cached: 4, output: 7 } }),
      );
      const answer = await client.ask({ model, streamed, turns: [{ user: 'Again.' }] });
      const usage = { input: 15, output: 7 };
      expect(answer.usage).toEqual(streamed ? toReportedUsage(pairing, usage) : usage);
      await expectProven(setup, pairing, { finishReason: 'stop', usage });
    });

    it.each([false, true])('follows earlier turns (streamed: %s)', async (streamed) => {
      const client = setup.clientOf(pairing);
      const system = 'Be brief.';
      const turns: Turn[] = [{ user: 'What is the capital of Norway?' }];
      setup.script(
        sendModelOutput(dialect, { text: ['Os', 'lo.'] }),
        sendModelOutput(dialect, { text: PIECES }),
      );
      const first = await client.ask({ model, streamed, system, turns });
      turns.push({ answer: first }, { user: 'Greet it.' });
      expect((await client.ask({ model, streamed, system, turns })).text).toBe(TEXT);
      await expectProven(setup, pairing, { finishReason: 'stop', usage: { input: 11, output: 7 } });
      const messages = [
        { role: 'user', content: 'What is the capital of Norway?' },
        { role: 'assistant', content: 'Oslo.' },
        { role: 'user', content: 'Greet it.' },
      ];
      expectSent(setup, pairing, {
        'chat-completions': { messages: [{ role: 'system', content: system }, ...messages] },
        messages: { system, messages },
        responses: {
          instructions: system,
          input: messages.map(({ role, content: text }) => ({
            type: 'message',
            role,
            content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
          })),
        },
      });
    });
  });

  it('is returned to its own client under concurrency', async () => {
    const questions = PAIRINGS.flatMap(([, pairing]) =>
      [1, 2, 3, 4].map((index) => ({
        pairing,
        word: `${pairing.kind.name} ${pairing.crossed} ${index}`,
      })),
    );
    for (const _question of questions) setup.script(answerWithMarkedText);
    const answers = questions.map(async ({ pairing, word }) => {
      const turns = [{ user: `<<${word}>>` }];
      const { model } = pairing.vendor;
      return (await setup.clientOf(pairing).ask({ model, streamed: true, turns })).text;
    });
    expect(await Promise.all(answers)).toEqual(questions.map(({ word }) => word));
  });
});

const PATHS = {
  'chat-completions': '/chat/completions',
  messages: '/messages',
  responses: '/responses',
};

/**
 * Answers with the text that the question contains between `<<` and `>>`, one character per frame.
 */
const answerWithMarkedText: Script = async (exchange) => {
  const { body, path } = exchange.request;
  const [, word = ''] = /<<(.*?)>>/.exec(body.toString()) ?? [];
  const { dialect } = VENDORS.find((vendor) => path.endsWith(PATHS[vendor.dialect]))!;
  await sendModelOutput(dialect, { text: [...word] })(exchange);
};
