import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { commitAnswer } from '@witan/proof';
import { createGate, eventually, neverAnswer } from '@witan/testing';
import type { Script } from '@witan/testing';
import { PAIRINGS } from './pairings.ts';
import type { Pairing } from './pairings.ts';
import { openClientSetup } from './open-client-setup.ts';
import type { ClientSetup } from './open-client-setup.ts';
import { framesUntil, sendModelOutput } from './send-model-output.ts';
import type { ChatRequest } from './test-client.ts';

const ABORT_MOMENTS: readonly (readonly [string, boolean, Script])[] = [
  ['before a plain answer', false, neverAnswer()],
  ['before a stream', true, neverAnswer()],
  ['before the first text of a stream', true, neverAnswer({ sendHeaders: true })],
];

describe('calls that the client aborts', () => {
  let setup: ClientSetup;

  beforeAll(async () => {
    setup = await openClientSetup('in-process');
  });
  afterAll(async () => {
    await setup[Symbol.asyncDispose]();
  });

  const nextCallNumber = (): number => setup.fixture.provider.requests.length + 1;

  const askAndCatch = (
    pairing: Pairing,
    request: Omit<ChatRequest, 'model' | 'turns'>,
  ): Promise<Error> => {
    const { model } = pairing.vendor;
    const call = setup.clientOf(pairing).ask({ ...request, model, turns: [{ user: 'Count.' }] });
    return call.then(
      (answer) => new Error(`The call returned ${JSON.stringify(answer.text)}.`),
      (error: unknown) => error as Error,
    );
  };

  /**
   * Waits until the provider has seen its request `callNumber` aborted. Returns the payload of the
   * certificate at index `before` of the chain.
   */
  const readAbortedCertificate = async (callNumber: number, before: number) => {
    expect((await setup.fixture.provider.whenAborted(callNumber)).aborted).toBe(true);
    const { payload } = await eventually(
      async () => (await setup.fixture.client.listCertificates()).at(before),
      'the certificate of the aborted call',
    );
    return payload;
  };

  describe.each(PAIRINGS)('from %s', (_title, pairing) => {
    const { provider, model, dialect } = pairing.vendor;

    it.each(ABORT_MOMENTS)(
      '%s: ends at the provider and is certified as aborted',
      async (_moment, streamed, script) => {
        const callNumber = nextCallNumber();
        const before = (await setup.fixture.client.listCertificates()).length;
        const controller = new AbortController();
        setup.script(script);
        const failure = askAndCatch(pairing, { streamed, signal: controller.signal });
        await setup.fixture.provider.whenRequest(callNumber);
        controller.abort();
        expect(String(await failure)).toMatch(/abort/i);
        const { egress, response } = await readAbortedCertificate(callNumber, before);
        expect(egress).toMatchObject({ provider, model });
        expect(response).toMatchObject({ finishReason: 'aborted', sha256: commitAnswer([]) });
      },
    );

    it('in mid-stream: ends at the provider, and the delivered part is certified', async () => {
      const callNumber = nextCallNumber();
      const before = (await setup.fixture.client.listCertificates()).length;
      const controller = new AbortController();
      const gate = createGate();
      gate.release(framesUntil(dialect, 1));
      setup.script(sendModelOutput(dialect, { text: ['One, ', 'two.'] }, { gate }));
      const pieces: string[] = [];
      const onText = (piece: string): void => {
        pieces.push(piece);
        controller.abort();
      };
      const failure = await askAndCatch(pairing, {
        streamed: true,
        signal: controller.signal,
        onText,
      });
      expect(String(failure)).toMatch(/abort/i);
      expect(pieces).toEqual(['One, ']);
      const { id, egress, response } = await readAbortedCertificate(callNumber, before);
      expect(setup.lastCall().headers.get('x-service-proof')).toBe(id);
      expect(egress).toMatchObject({ provider, model });
      expect(response).toMatchObject({
        finishReason: 'aborted',
        sha256: commitAnswer([{ index: 0, content: 'One, ', toolCalls: [] }]),
        usage: { estimated: true },
      });
    });
  });
});
