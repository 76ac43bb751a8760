import { create, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from '@jest/globals';
import { createTestPrivacy } from '../../../test/masking.ts';
import { DEFAULT_PRIVACY } from '../../masking/privacy-settings.ts';
import {
  cancelled,
  CountTokensRequestSchema,
  CountTokensResponseSchema,
  ServiceError,
} from '@witan/contracts';
import type { WireBody } from '@witan/contracts';
import type { DialectName } from '@witan/dialects';
import { createFakeProvider } from '../../../test/fake-provider.ts';
import type { FakeProvider, FakeProviderOptions } from '../../../test/fake-provider.ts';
import {
  answerOf,
  streamCutError,
  refusalOf,
  yieldThenFail,
  timedOut,
  unreachable,
} from '../../../test/provider-answers.ts';
import { makeAddress, wireRequest } from '../../../test/requests.ts';
import { makeSettings } from '../../../test/route-settings.ts';
import { createCircuitBreaker } from '../../provider/circuit-breaker.ts';
import type { RouteSettings } from '../../routing/choose-route.ts';
import { toTarget } from '../../provider/provider.ts';
import { countTokens } from './count-tokens.ts';

type Reply = NonNullable<FakeProviderOptions['countTokens']>;

const TEXT = 'word '.repeat(40);
const ESTIMATE = { inputTokens: 50, estimated: true, model: 'claude-x' };
const COUNTED = '{"input_tokens": 17, "future": 1.0}';

type SetupOptions = {
  provider?: FakeProvider;
  settings?: Partial<RouteSettings>;
  timeoutMs?: number;
  client?: AbortController;
};

const countingProvider = (reply?: Reply): FakeProvider =>
  createFakeProvider({ dialect: 'messages', ...(reply ? { countTokens: reply } : {}) });

const count = (setup: SetupOptions = {}, body: object = {}, dialect: DialectName = 'messages') => {
  const { provider = countingProvider(() => answerOf([COUNTED])), client = new AbortController() } =
    setup;
  const settings = makeSettings({
    dialects: new Map([['anthropic', [provider.dialect]]]),
    ...setup.settings,
  });
  const messages = [{ role: 'user', content: TEXT }];
  const wire = { headers: { 'anthropic-beta': 'b' }, query: 'beta=true' };
  const request = create(CountTokensRequestSchema, {
    address: makeAddress({ model: 'claude-x' }),
    wire: wireRequest(dialect, { messages, ...body }, { wire }).input.value as WireBody,
  });
  const access = { provider, breaker: createCircuitBreaker(() => 0) };
  return countTokens(
    request,
    { workspaceId: 'ws_a', signal: client.signal },
    {
      choicesFor: async () => ({ settings, privacy: DEFAULT_PRIVACY, accessTo: () => access }),
      privacy: createTestPrivacy(),
      maxOutputTokens: 100,
      timeoutMs: setup.timeoutMs ?? 5_000,
    },
  );
};
const failWith =
  (failure: () => Error): Reply =>
  () => {
    throw failure();
  };

describe('countTokens', () => {
  it('calls the provider that would answer, and returns its response byte for byte', async () => {
    const provider = countingProvider(() => answerOf([COUNTED]));
    expect(await count({ provider })).toEqual({
      inputTokens: 17,
      json: Buffer.from(COUNTED),
      status: 200,
      model: 'claude-x',
    });
    expect(provider.calls[0]).toMatchObject({
      headers: { 'anthropic-beta': 'b' },
      query: 'beta=true',
    });
    expect(provider.lastBody()).toMatchObject({ messages: [{ content: TEXT }] });
  });

  it('counts for the model that would answer, and returns its name', async () => {
    const provider = countingProvider(() => answerOf([COUNTED]));
    const aliases = new Map([['claude-x', [toTarget('anthropic', 'claude-mine')]]]);
    expect(await count({ provider, settings: { aliases } })).toMatchObject({
      model: 'claude-mine',
    });
    expect(provider.lastBody().model).toBe('claude-mine');
  });

  it('accepts a count of zero', async () => {
    const provider = countingProvider(() => answerOf(['{"input_tokens":0}']));
    const answer = await count({ provider });
    expect(answer).toMatchObject({ inputTokens: 0 });
    expect(answer.estimated).toBeFalsy();
  });

  it('returns a refusal of the request with its status and retry advice', async () => {
    for (const status of [400, 413, 429]) {
      const provider = countingProvider(() =>
        refusalOf(status, 'messages', { 'retry-after': '2' }),
      );
      const answer = await count({ provider });
      expect(answer).toMatchObject({ status, headers: { 'retry-after': '2' }, model: 'claude-x' });
      expect(Buffer.from(answer.json!).toString()).toContain('overloaded_error');
    }
  });

  it.each([
    ['refuses our credentials', () => refusalOf(401, 'messages')],
    ['forbids the call', () => refusalOf(403, 'messages')],
    ['has no such endpoint', () => refusalOf(404, 'messages')],
    ['fails', () => refusalOf(500, 'messages')],
    ['is overloaded', () => refusalOf(529, 'messages')],
    ['responds with HTML', () => answerOf(['<html>'])],
    ['responds without a count', () => answerOf(['{"tokens":1}'])],
    ['responds with a count in a string', () => answerOf(['{"input_tokens":"17"}'])],
    ['responds with a negative count', () => answerOf(['{"input_tokens":-1}'])],
    ['responds with a fraction', () => answerOf(['{"input_tokens":1.5}'])],
    ['responds with a count beyond uint32', () => answerOf(['{"input_tokens":5000000000}'])],
    ['redirects', () => answerOf(['{}'], { status: 302 })],
    ['responds with more than a megabyte', () => answerOf([`{"a":"${'a'.repeat(1_100_000)}"}`])],
    ['is unreachable', failWith(unreachable)],
    ['times out', failWith(timedOut)],
    ['cuts the call', failWith(streamCutError)],
    ['cuts its response', () => answerOf(yieldThenFail(['{"input'], streamCutError))],
  ])('estimates when the provider %s', async (_name, reply) => {
    const answer = await count({ provider: countingProvider(reply) });
    expect(answer).toEqual(ESTIMATE);
    expect(
      toBinary(CountTokensResponseSchema, create(CountTokensResponseSchema, answer)).length,
    ).toBeGreaterThan(0);
  });

  it('estimates when the provider exceeds the timeout', async () => {
    const neverReplying: Reply = ({ signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    expect(await count({ provider: countingProvider(neverReplying), timeoutMs: 20 })).toEqual(
      ESTIMATE,
    );
  });

  it('estimates when the provider cannot count', async () => {
    expect(await count({ provider: countingProvider() })).toEqual(ESTIMATE);
  });

  it('estimates when the provider uses another dialect, without calling it', async () => {
    const provider = createFakeProvider({
      name: 'anthropic',
      countTokens: () => answerOf([COUNTED]),
    });
    expect(await count({ provider })).toEqual(ESTIMATE);
    expect(provider.calls).toEqual([]);
  });

  it('estimates a chat body the same way', async () => {
    expect(await count({}, {}, 'chat-completions')).toEqual(ESTIMATE);
  });

  it('does not estimate for a client that disconnected', async () => {
    const client = new AbortController();
    const provider = countingProvider(() => {
      client.abort(cancelled());
      throw streamCutError();
    });
    await expect(count({ provider, client })).rejects.toMatchObject({ reason: 'CANCELLED' });
  });

  it('does not hide internal errors', async () => {
    const provider = countingProvider(failWith(() => new TypeError('bug')));
    await expect(count({ provider })).rejects.toThrow('bug');
  });

  it('does not send a local-only request to a hosted provider', async () => {
    const provider = countingProvider(() => answerOf([COUNTED]));
    const request = create(CountTokensRequestSchema, {
      address: makeAddress({ model: 'claude-x', sensitive: true }),
      wire: wireRequest('messages').input.value as WireBody,
    });
    const caller = { workspaceId: 'ws_a', signal: new AbortController().signal };
    const settings = makeSettings();
    const accessTo = () => ({ provider, breaker: createCircuitBreaker(() => 0) });
    const choicesFor = async () => ({ settings, privacy: DEFAULT_PRIVACY, accessTo });
    const deps = {
      choicesFor,
      privacy: createTestPrivacy(),
      maxOutputTokens: 100,
      timeoutMs: 1_000,
    };
    await expect(countTokens(request, caller, deps)).rejects.toMatchObject({
      reason: 'LOCAL_RUNTIME_UNAVAILABLE',
    });
    expect(provider.calls).toEqual([]);
  });

  it('rejects a request without an address or a body', async () => {
    const caller = { workspaceId: 'ws_a', signal: new AbortController().signal };
    const choicesFor = async (): Promise<never> => {
      throw new ServiceError('INTERNAL', 'must not be called');
    };
    const deps = {
      choicesFor,
      privacy: createTestPrivacy(),
      maxOutputTokens: 100,
      timeoutMs: 1_000,
    };
    await expect(
      countTokens(create(CountTokensRequestSchema, {}), caller, deps),
    ).rejects.toMatchObject({ reason: 'INVALID_REQUEST' });
  });
});
