import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createGate, failMessageWith, failWith } from '@witan/testing';
import { expectProven } from './expect-proven.ts';
import { failureOf } from './failure-of.ts';
import { PAIRINGS } from './pairings.ts';
import { openClientSetup } from './open-client-setup.ts';
import type { ClientSetup } from './open-client-setup.ts';
import { framesUntil, sendModelOutput } from './send-model-output.ts';
import type { Turn } from './test-client.ts';
import { TOOLS } from './weather.ts';

const USAGE = { input: 11, output: 7 };
const TOOL_CALL = { id: 'call_1', name: 'get_weather', input: '{"city":"Oslo"}' };

/**
 * Repeats a few cases of the other tests in this folder with services connected by gRPC instead of
 * in process.
 */
describe('services over grpc', () => {
  const turns: Turn[] = [{ user: 'How is the weather?' }];
  let setup: ClientSetup;

  beforeAll(async () => {
    setup = await openClientSetup('grpc');
  });
  afterAll(async () => {
    await setup[Symbol.asyncDispose]();
  });

  describe.each(PAIRINGS)('from %s', (_title, pairing) => {
    const { model, dialect } = pairing.vendor;

    it.each([false, true])(
      'gets answers, tool calls and the next turn (streamed: %s)',
      async (streamed) => {
        const client = setup.clientOf(pairing);
        setup.script(
          sendModelOutput(dialect, { text: ['I ', 'look.'], calls: [TOOL_CALL] }),
          sendModelOutput(dialect, { text: ['It ', 'snows.'] }),
        );
        const answer = await client.ask({ model, streamed, turns, tools: TOOLS });
        expect(answer.calls).toEqual([
          { id: 'call_1', name: 'get_weather', input: { city: 'Oslo' } },
        ]);
        await expectProven(setup, pairing, { finishReason: 'tool_calls', usage: USAGE });
        const results = [{ id: 'call_1', name: 'get_weather', text: 'snow' }];
        const laterTurns = [...turns, { answer }, { results }];
        const finalAnswer = await client.ask({ model, streamed, turns: laterTurns, tools: TOOLS });
        expect(finalAnswer).toMatchObject({
          text: 'It snows.',
          finishReason: client.finishNames.stop,
        });
        await expectProven(setup, pairing, { finishReason: 'stop', usage: USAGE });
      },
    );

    it.each([429, 529])('gets the status and message of a refusal: %i', async (status) => {
      const client = setup.clientOf(pairing);
      setup.script(dialect === 'messages' ? failMessageWith(status) : failWith(status));
      const failure = await failureOf(client, client.ask({ model, streamed: true, turns }));
      const message = expect.stringContaining(`Scripted failure ${status}.`);
      expect(failure).toMatchObject({ status, message });
      await expectProven(setup, pairing, { finishReason: 'error' });
    });

    it('gets an error when a stream is cut', async () => {
      const client = setup.clientOf(pairing);
      setup.script(sendModelOutput(dialect, { text: ['One, ', 'two.'] }, { cutAfterTexts: 1 }));
      const failure = await failureOf(client, client.ask({ model, streamed: true, turns }));
      expect(failure.message).toContain('broke the connection');
      await expectProven(setup, pairing, { finishReason: 'error' });
    });

    it('ends the provider call when it aborts', async () => {
      const callNumber = setup.fixture.provider.requests.length + 1;
      const gate = createGate();
      gate.release(framesUntil(dialect, 1));
      setup.script(sendModelOutput(dialect, { text: ['One, ', 'two.'] }, { gate }));
      const controller = new AbortController();
      const { signal } = controller;
      const onText = (): void => controller.abort();
      const call = setup.clientOf(pairing).ask({ model, streamed: true, turns, signal, onText });
      await expect(call).rejects.toThrow(/abort/i);
      expect((await setup.fixture.provider.whenAborted(callNumber)).aborted).toBe(true);
    });
  });
});
