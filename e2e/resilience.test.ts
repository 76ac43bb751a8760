import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, neverAnswer } from '@witan/testing';
import { PING } from './http-client.ts';
import type { Answer } from './http-client.ts';
import { TRANSPORTS } from './open-fixture.ts';
import { DOWN, FIRST, openFallbackChain, SECOND } from './open-fallback-chain.ts';
import type { FallbackChain } from './open-fallback-chain.ts';

const REQUEST_BODY = { ...PING, model: 'chain' };
/**
 * Number of conversations that are distributed over two targets; large enough that both targets get
 * some.
 */
const CONVERSATIONS = 24;
/** Number of consecutive failures after which the circuit breaker opens. */
const FAILURES_IN_A_ROW = 20;

const conversation = (opening: string, ...turns: object[]) => ({
  ...REQUEST_BODY,
  messages: [{ role: 'user', content: opening }, ...turns],
});

const ATTEMPT_EVENTS = new Set(['provider_responded', 'provider_attempt_failed']);

describe.each(TRANSPORTS)('routing around failures, services over %s', (transport) => {
  let chain: FallbackChain;

  beforeAll(async () => {
    chain = await openFallbackChain({ transport });
  });
  afterAll(async () => {
    await chain[Symbol.asyncDispose]();
  });

  const modelOf = async (body: object): Promise<string | null> =>
    (await chain.client.complete(body)).headers.get('x-service-model');

  /** Returns the value of the attempts counter for each combination of labels. */
  const readAttempts = async (): Promise<Map<string, number>> => {
    const admin = chain.system.adminUrls['llm-gateway']!;
    const text = await (await fetch(`${admin}/metrics`)).text();
    const counted = text.matchAll(/^llm_gateway_attempts_total\{(.*)\} (\d+)$/gm);
    return new Map([...counted].map(([, labels = '', count]) => [labels, Number(count)]));
  };
  /** Returns the log entries of a request's provider attempts, in order. */
  const readAttemptLogs = ({ headers }: Pick<Answer, 'headers'>): object[] => {
    const requestId = headers.get('x-request-id');
    return chain.system.logLines
      .map((text) => JSON.parse(text) as { event: string; requestId?: string })
      .filter((one) => ATTEMPT_EVENTS.has(one.event) && one.requestId === requestId);
  };

  it('distributes conversations by weight, and keeps each on its target', async () => {
    await chain.setTargets({ ...FIRST, weight: 1 }, { ...SECOND, weight: 1 });
    const openings = Array.from({ length: CONVERSATIONS }, (_, at) => `Question ${at}?`);
    const modelByOpening = new Map<string, string | null>();
    for (const opening of openings)
      modelByOpening.set(opening, await modelOf(conversation(opening)));
    expect(new Set(modelByOpening.values())).toEqual(new Set([FIRST.model, SECOND.model]));
    const laterTurns = [
      { role: 'assistant', content: 'So.' },
      { role: 'user', content: 'And then?' },
    ];
    for (const [opening, model] of [...modelByOpening].slice(0, 8)) {
      expect(await modelOf(conversation(opening, ...laterTurns))).toBe(model);
    }
  });

  it('never starts at a target with weight 0, but falls back to it', async () => {
    await chain.setTargets({ ...FIRST, weight: 0 }, { ...SECOND, weight: 1 });
    for (let at = 0; at < 8; at += 1) {
      expect(await modelOf(conversation(`Question ${at}?`))).toBe(SECOND.model);
    }
    await chain.setTargets({ ...FIRST, weight: 0 }, { ...DOWN, weight: 1 });
    expect(await modelOf(REQUEST_BODY)).toBe(FIRST.model);
  });

  it('records every attempt in the log and in the metrics', async () => {
    await chain.setTargets(DOWN, FIRST);
    const before = await readAttempts();
    const answer = await chain.client.complete(REQUEST_BODY);
    const attempts = [
      {
        provider: 'down',
        model: DOWN.model,
        attempt: 1,
        outcome: 'PROVIDER_UNREACHABLE',
        status: 0,
      },
      { provider: 'first', model: FIRST.model, attempt: 2, outcome: 'answered', status: 200 },
    ];
    expect(readAttemptLogs(answer)).toMatchObject(attempts);
    const after = await readAttempts();
    const added = [...after].filter(([labels, count]) => count > (before.get(labels) ?? 0));
    expect(added.map(([labels]) => labels).toSorted()).toEqual([
      'provider="workspace",attempt="1",outcome="provider_unreachable"',
      'provider="workspace",attempt="2",outcome="2xx"',
    ]);
  });

  it('tries no other target after the client has disconnected', async () => {
    await chain.setTargets(FIRST, SECOND);
    chain.first.script(neverAnswer());
    const before = (await chain.client.listCertificates()).length;
    const [callsBefore, callNumber] = [
      chain.second.requests.length,
      chain.first.requests.length + 1,
    ];
    const controller = new AbortController();
    const call = chain.client.complete(REQUEST_BODY, { signal: controller.signal });
    const callError = call.catch((error: unknown) => String(error));
    await chain.first.whenRequest(callNumber);
    controller.abort();
    expect(await callError).toContain('abort');
    await chain.first.whenAborted(callNumber);
    const certificate = await eventually(
      async () => (await chain.client.listCertificates()).at(before),
      'the certificate of the aborted call',
    );
    expect(certificate.payload).toMatchObject({
      egress: FIRST,
      response: { finishReason: 'aborted' },
    });
    expect(chain.second.requests).toHaveLength(callsBefore);
  });

  it('opens the circuit of a provider that repeatedly cannot be reached', async () => {
    await chain.putProviders();
    await chain.setTargets(DOWN);
    for (let failed = 0; failed < FAILURES_IN_A_ROW; failed += 1) {
      const answer = await chain.client.complete(REQUEST_BODY);
      expect([answer.status, readAttemptLogs(answer).length]).toEqual([502, 1]);
    }
    // The provider can be reached again, but its circuit breaker is open, so the gateway must not
    // connect to it.
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await chain.closedPort[Symbol.asyncDispose]();
    await new Promise<void>(
      (resolve) => void server.listen(chain.closedPort.port, '127.0.0.1', resolve),
    );
    const [answer, certificates] = await chain.callAndListCertificates(() =>
      chain.client.complete(REQUEST_BODY),
    );
    expect([answer.status, readAttemptLogs(answer), certificates]).toEqual([502, [], []]);
    expect(answer.text).toContain('left alone');
    await chain.setTargets(DOWN, FIRST);
    const fallbackAnswer = await chain.client.complete(REQUEST_BODY);
    expect(fallbackAnswer.headers.get('x-service-model')).toBe(FIRST.model);
    expect(readAttemptLogs(fallbackAnswer)).toMatchObject([{ provider: 'first', attempt: 2 }]);
    expect(connections).toBe(0);
    await new Promise((resolve) => void server.close(resolve));
  });
});
