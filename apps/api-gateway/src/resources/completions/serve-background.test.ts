import { describe, expect, it } from '@jest/globals';
import type { AnswerSink, CompleteEvent } from '@witan/contracts';
import { passEvents } from '@witan/dialects';
import { createLog } from '@witan/service-kit';
import type { RouteCall } from '../../http/route.ts';
import type { EndedResponse, StoredResponse } from '../../stored-response/stored-response.ts';
import { serveBackground } from './serve-background.ts';

const OPENED = { status: 200, headers: {}, droppedParams: [], model: 'gpt-5', provider: 'openai' };
const completed = { case: 'completed', value: { finishReason: 'stop', usage: {} } };

/** Carries out a call in the background with these events, and returns what was stored. */
const runWith = async (...events: object[]) => {
  const saved: StoredResponse[] = [];
  const replaced: EndedResponse[] = [];
  const complete = async (_call: object, _options: object, sink: AnswerSink) => {
    sink.reserved!();
    const all = (async function* () {
      for (const event of events) yield { event } as CompleteEvent;
    })();
    return await passEvents(all, sink);
  };
  const storing = {
    isAllowed: async () => true,
    find: async () => undefined,
    findChain: async () => undefined,
    save: async () => true,
    assertRoom: async () => {},
    saveQueued: async (_workspaceId: string, response: StoredResponse) => {
      saved.push(response);
    },
    replace: async (response: EndedResponse) => void replaced.push(response),
  };
  let ended: Promise<void> | undefined;
  const serve = serveBackground({ complete, turns: {}, knowledge: {} } as never, {
    ...{ timeoutMs: 1_000, storing, takeBackground: () => () => {}, watchKey: () => () => {} },
    detachedCalls: {
      signal: new AbortController().signal,
      track: (run: Promise<void>) => (ended = run),
      stop: async () => {},
    },
    log: createLog({ service: 'test', level: 'silent' }),
  });
  const body = { model: 'gpt-5', input: 'Oslo?', background: true };
  const source = Buffer.from(JSON.stringify(body));
  const call = {
    ...{ body, source, text: JSON.stringify(body), requestId: 'req_1' },
    principal: { workspaceId: 'ws_a', keyId: 'key_1', scopes: ['gateway'] },
    request: { headers: {}, originalUrl: '/v1/responses' },
  } as unknown as RouteCall;
  const reply = await serve(call);
  await ended;
  expect([saved.length, replaced.length]).toEqual([1, 1]);
  const { headers } = reply as { headers: Record<string, string> };
  const announced = headers['x-service-proof'];
  return { announced, queued: saved[0]!, stored: replaced[0]!, call };
};
const wire = (text: string): object => ({ case: 'wire', value: Buffer.from(text) });
const opened = (members: object): object => ({ case: 'opened', value: { ...OPENED, ...members } });

describe('a response in the background', () => {
  it('replaces the queued one, with the certificate of the call that answered', async () => {
    const part = { case: 'part', value: { part: { case: 'text', value: 'Snow.' } } };
    const events = [opened({ neutral: true, proofId: 'pf_2' }), part, completed];
    const { announced, queued, stored } = await runWith(...events);
    expect(queued).toMatchObject({ proofId: announced, response: { status: 'queued' } });
    expect(stored).toMatchObject({
      id: queued.id,
      proofId: 'pf_2',
      response: { id: queued.id, status: 'completed' },
    });
  });

  it('does not keep the body of its request in memory', async () => {
    const { call } = await runWith(opened({ proofId: 'pf_1' }), wire('{}'), completed);
    expect([call.source.length, call.text]).toEqual([0, '']);
  });

  it('keeps the members of a provider that answers in its dialect', async () => {
    const events = [opened({ proofId: 'pf_1' }), wire('{"id":"x","status":"completed"}')];
    const { queued, stored } = await runWith(...events, completed);
    expect(stored.response).toEqual({ id: queued.id, status: 'completed', background: true });
  });

  it('failed if the answer of the provider is not JSON', async () => {
    const { queued, stored } = await runWith(
      ...[opened({ proofId: 'pf_1' }), wire('<html>'), completed],
    );
    expect(stored.response).toMatchObject({
      id: queued.id,
      status: 'failed',
      error: { message: 'The answer of the provider is not a JSON object.' },
    });
  });

  it('failed under the announced certificate if nothing was opened', async () => {
    const { announced, stored } = await runWith();
    expect(stored).toMatchObject({ proofId: announced, response: { status: 'failed' } });
  });
});
