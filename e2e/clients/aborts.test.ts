import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { commitAnswer } from '@witan/proof';
import { createGate, eventually, neverAnswer } from '@witan/testing';
import type { Script } from '@witan/testing';
import { LANES } from './lanes.ts';
import type { Lane } from './lanes.ts';
import { openBench } from './open-bench.ts';
import type { Bench } from './open-bench.ts';
import { framesUntil, sendSpeech } from './send-speech.ts';
import type { ChatRequest } from './test-client.ts';

const WINDOWS: readonly (readonly [string, boolean, Script])[] = [
  ['before a plain answer', false, neverAnswer()],
  ['before a stream', true, neverAnswer()],
  ['before the first word of a stream', true, neverAnswer({ sendHeaders: true })],
];

describe('calls that the client aborts', () => {
  let bench: Bench;

  beforeAll(async () => {
    bench = await openBench('in-process');
  });
  afterAll(async () => {
    await bench[Symbol.asyncDispose]();
  });

  const nextNumber = (): number => bench.fixture.provider.requests.length + 1;

  const insertReleasedReservation = (
    lane: Lane,
    request: Omit<ChatRequest, 'model' | 'turns'>,
  ): Promise<Error> => {
    const { model } = lane.vendor;
    const call = bench.clientOf(lane).ask({ ...request, model, turns: [{ user: 'Count.' }] });
    return call.then(
      (answer) => new Error(`It got ${JSON.stringify(answer.text)} all the same.`),
      (error: unknown) => error as Error,
    );
  };

  /** Returns the certificate of call `number` after the provider has seen it aborted. */
  const whenAborted = async (number: number, before: number) => {
    expect((await bench.fixture.provider.whenAborted(number)).aborted).toBe(true);
    const { payload } = await eventually(
      async () => (await bench.fixture.client.listCertificates()).at(before),
      'the certificate of the aborted call',
    );
    return payload;
  };

  describe.each(LANES)('from %s', (_title, lane) => {
    const { provider, model, dialect } = lane.vendor;

    it.each(WINDOWS)(
      '%s: ends at the provider and is certified as aborted',
      async (_w, streamed, script) => {
        const number = nextNumber();
        const before = (await bench.fixture.client.listCertificates()).length;
        const controller = new AbortController();
        bench.script(script);
        const ended = insertReleasedReservation(lane, { streamed, signal: controller.signal });
        await bench.fixture.provider.whenRequest(number);
        controller.abort();
        expect(String(await ended)).toMatch(/abort/i);
        const { egress, response } = await whenAborted(number, before);
        expect(egress).toMatchObject({ provider, model });
        expect(response).toMatchObject({ finishReason: 'aborted', sha256: commitAnswer([]) });
      },
    );

    it('in mid-stream: ends at the provider, and the delivered part is certified', async () => {
      const number = nextNumber();
      const before = (await bench.fixture.client.listCertificates()).length;
      const controller = new AbortController();
      const gate = createGate();
      gate.release(framesUntil(dialect, 1));
      bench.script(sendSpeech(dialect, { text: ['One, ', 'two.'] }, { gate }));
      const pieces: string[] = [];
      const onText = (piece: string): void => {
        pieces.push(piece);
        controller.abort();
      };
      const ended = await insertReleasedReservation(lane, {
        streamed: true,
        signal: controller.signal,
        onText,
      });
      expect(String(ended)).toMatch(/abort/i);
      expect(pieces).toEqual(['One, ']);
      const { id, egress, response } = await whenAborted(number, before);
      expect(bench.lastCall().headers.get('x-service-proof')).toBe(id);
      expect(egress).toMatchObject({ provider, model });
      expect(response).toMatchObject({
        finishReason: 'aborted',
        sha256: commitAnswer([{ index: 0, content: 'One, ', toolCalls: [] }]),
        usage: { estimated: true },
      });
    });
  });
});
