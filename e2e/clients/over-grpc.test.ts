import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createGate, failMessageWith, failWith } from '@witan/testing';
import { expectProven } from './expect-proven.ts';
import { failureOf } from './failure-of.ts';
import { LANES } from './lanes.ts';
import { openBench } from './open-bench.ts';
import type { Bench } from './open-bench.ts';
import { framesUntil, sendSpeech } from './send-speech.ts';
import type { Turn } from './test-client.ts';
import { TOOLS } from './weather.ts';

const USAGE = { input: 11, output: 7 };
const CALL = { id: 'call_1', name: 'get_weather', input: '{"city":"Oslo"}' };

/**
 * Repeats a few cases of the other test files with services connected by gRPC instead of in
 * process.
 */
describe('services over grpc', () => {
  const turns: Turn[] = [{ user: 'How is the weather?' }];
  let bench: Bench;

  beforeAll(async () => {
    bench = await openBench('grpc');
  });
  afterAll(async () => {
    await bench[Symbol.asyncDispose]();
  });

  describe.each(LANES)('from %s', (_title, lane) => {
    const { model, dialect } = lane.vendor;

    it.each([false, true])(
      'gets answers, tool calls and the next turn (streamed: %s)',
      async (streamed) => {
        const client = bench.clientOf(lane);
        bench.script(
          sendSpeech(dialect, { text: ['I ', 'look.'], calls: [CALL] }),
          sendSpeech(dialect, { text: ['It ', 'snows.'] }),
        );
        const answer = await client.ask({ model, streamed, turns, tools: TOOLS });
        expect(answer.calls).toEqual([
          { id: 'call_1', name: 'get_weather', input: { city: 'Oslo' } },
        ]);
        await expectProven(bench, lane, { finishReason: 'tool_calls', usage: USAGE });
        const results = [{ id: 'call_1', name: 'get_weather', text: 'snow' }];
        const more = [...turns, { answer }, { results }];
        const final = await client.ask({ model, streamed, turns: more, tools: TOOLS });
        expect(final).toMatchObject({ text: 'It snows.', finish: client.finishNames.stop });
        await expectProven(bench, lane, { finishReason: 'stop', usage: USAGE });
      },
    );

    it.each([429, 529])('gets the status and message of a refusal: %i', async (status) => {
      const client = bench.clientOf(lane);
      bench.script(dialect === 'messages' ? failMessageWith(status) : failWith(status));
      const failure = await failureOf(client, client.ask({ model, streamed: true, turns }));
      const message = expect.stringContaining(`Scripted failure ${status}.`);
      expect(failure).toMatchObject({ status, message });
      await expectProven(bench, lane, { finishReason: 'error' });
    });

    it('gets an error when a stream is cut', async () => {
      const client = bench.clientOf(lane);
      bench.script(sendSpeech(dialect, { text: ['One, ', 'two.'] }, { cutAfterTexts: 1 }));
      const failure = await failureOf(client, client.ask({ model, streamed: true, turns }));
      expect(failure.message).toContain('broke the connection');
      await expectProven(bench, lane, { finishReason: 'error' });
    });

    it('ends the provider call when it aborts', async () => {
      const number = bench.fixture.provider.requests.length + 1;
      const gate = createGate();
      gate.release(framesUntil(dialect, 1));
      bench.script(sendSpeech(dialect, { text: ['One, ', 'two.'] }, { gate }));
      const controller = new AbortController();
      const { signal } = controller;
      const onText = (): void => controller.abort();
      const call = bench.clientOf(lane).ask({ model, streamed: true, turns, signal, onText });
      await expect(call).rejects.toThrow(/abort/i);
      expect((await bench.fixture.provider.whenAborted(number)).aborted).toBe(true);
    });
  });
});
