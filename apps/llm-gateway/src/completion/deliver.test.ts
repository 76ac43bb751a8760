import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { cancelled, ServiceError } from '@witan/contracts';
import { DIALECTS } from '@witan/dialects';
import type { DialectName } from '@witan/dialects';
import { commitAnswer } from '@witan/proof';
import { watchTimers } from '@witan/testing';
import { createFakeProvider } from '../../test/fake-provider.ts';
import type { FakeProviderOptions } from '../../test/fake-provider.ts';
import { openCompletions } from '../../test/open-completions.ts';
import {
  chatFrame,
  failing,
  refusalOf,
  replyInChat,
  replyInMessages,
  replyInResponses,
  streamOf,
  timedOut,
} from '../../test/provider-answers.ts';
import { findEvent, kindsOf, readAsClient } from '../../test/read-as-client.ts';
import { neutralRequest, wireRequest } from '../../test/requests.ts';
import { delivering, readEdited } from '../../test/read-edited.ts';
import type { OnEnding } from '../../test/read-edited.ts';
import type { LedgerClient } from '@witan/contracts';
import { completeAsOverRpc } from './rpc/completions.ts';

const TAGGED = ['Noted. <MEM', 'ORY key="city">Ba', 'sel</MEMORY> Anything else?'];
const CLEAN = 'Noted. Anything else?';
const removeTags = (text: string): string => text.replace(/<MEMORY.*<\/MEMORY> /, '');
const toContentHash = (content: string | null): string =>
  commitAnswer([{ index: 0, content, toolCalls: [] }]);

const FORMS = [
  ['plain', false],
  ['streamed', true],
] as const;

const replyTagged: Record<DialectName, FakeProviderOptions['reply']> = {
  'chat-completions': ({ body }) => replyInChat({ content: TAGGED }, body),
  messages: ({ body }) => replyInMessages({ content: TAGGED }, body),
  responses: ({ body }) => replyInResponses({ text: TAGGED }, body),
};

type SetupOptions = {
  dialect?: DialectName;
  reply?: FakeProviderOptions['reply'];
  ledger?: Partial<LedgerClient>;
};

const open = ({ dialect = 'chat-completions', reply, ledger = {} }: SetupOptions = {}) => {
  const provider = createFakeProvider({ dialect, reply: reply ?? replyTagged[dialect] });
  const completions = openCompletions({ providers: [provider], ledger });
  const ask = (onEnding: OnEnding, streamed = true) =>
    readEdited(completions, neutralRequest({ streamed }), onEnding);
  return { ...completions, ask };
};

const failIfEnded: OnEnding = () => {
  throw new Error('unexpected ending event');
};

describe.each(['chat-completions', 'messages'] as const)('an edited answer of %s', (dialect) => {
  it.each(FORMS)('is certified as delivered: %s', async (_name, streamed) => {
    const { ask, certified, log } = open({ dialect });
    const { events, failure } = await ask(delivering(removeTags), streamed);
    expect(failure).toBe('');
    expect(kindsOf(events)).toBe('opened part ending completed');
    expect(certified.map(({ answer }) => answer)).toMatchObject([
      { sha256: toContentHash(CLEAN), finishReason: 'stop' },
    ]);
    expect(log.slice(-3)).toEqual(['ending', 'append pf_1 stop', 'completed']);
  });

  it.each(FORMS)('can be verified by a client of either dialect: %s', async (_name, streamed) => {
    const { ask, certified } = open({ dialect });
    const { events } = await ask(delivering(removeTags), streamed);
    const edited = [
      events.find(({ event }) => event?.case === 'opened')!,
      {
        event: { case: 'part' as const, value: { part: { case: 'text' as const, value: CLEAN } } },
      },
      events.at(-1)!,
    ];
    for (const client of Object.values(DIALECTS)) {
      for (const isStream of [false, true]) {
        const { choices } = readAsClient(client, edited, isStream);
        expect(commitAnswer(choices)).toBe(certified[0]!.answer.sha256);
      }
    }
  });
});

describe('the ending event', () => {
  it('has the finish reason and usage of the certificate', async () => {
    const { ask, certified } = open();
    const { events } = await ask(delivering(removeTags));
    const ending = findEvent(events, 'ending');
    expect(ending).toMatchObject({ finishReason: 'stop', usage: { estimated: false } });
    expect(ending.usage).toEqual(findEvent(events, 'completed').usage);
    expect(certified[0]!.answer.usage).toMatchObject({ ...ending.usage });
  });

  it('estimates usage from the provider’s text, not from the edited text', async () => {
    const frames = [chatFrame({ choices: [{ index: 0, delta: { content: 'x'.repeat(400) } }] })];
    const stopFrame = chatFrame({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    const { ask, certified } = open({
      reply: () => streamOf([...frames, stopFrame, 'data: [DONE]\n\n']),
    });
    await ask(delivering(() => 'x'));
    expect(certified[0]!.answer).toMatchObject({
      sha256: toContentHash('x'),
      usage: { completionTokens: 100, estimated: true },
    });
  });

  it.each([
    ['no text', () => undefined],
    ['an empty text', () => ''],
  ])('allows an edit to %s', async (_name, edit) => {
    const { ask, certified } = open();
    expect((await ask(delivering(edit))).failure).toBe('');
    expect(certified[0]!.answer).toMatchObject({
      sha256: toContentHash(null),
      finishReason: 'stop',
    });
  });

  it('is emitted for an answer truncated at its limit', async () => {
    const reply = ({ body }: { body: Uint8Array }) =>
      replyInChat({ content: 'Onc', finishReason: 'length' }, body);
    const { ask, certified } = open({ reply });
    const { events } = await ask(delivering((text) => `${text}...`));
    expect(findEvent(events, 'ending').finishReason).toBe('length');
    expect(certified[0]!.answer).toMatchObject({
      sha256: toContentHash('Onc...'),
      finishReason: 'length',
    });
  });

  it.each(FORMS)('is not emitted for tool calls: %s', async (_name, streamed) => {
    const toolCalls = [{ id: 'call_a', name: 'find', arguments: '{"q":1}' }];
    const { ask, certified } = open({
      reply: ({ body }) => replyInChat({ content: 'Looking.', toolCalls }, body),
    });
    const { events, failure } = await ask(failIfEnded, streamed);
    expect(failure).toBe('');
    expect(kindsOf(events)).toBe('opened part completed');
    expect(certified[0]!.answer).toMatchObject({
      sha256: commitAnswer([{ index: 0, content: 'Looking.', toolCalls }]),
      finishReason: 'tool_calls',
    });
  });

  it('is not emitted for a refusal or a failure', async () => {
    const refused = open({ reply: () => refusalOf(429) });
    const { events } = await refused.ask(failIfEnded);
    expect(kindsOf(events)).toBe('opened refused completed');
    const failed = open({ reply: failing(timedOut) });
    expect(await failed.ask(failIfEnded)).toEqual({
      events: [],
      failure: 'PROVIDER_TIMEOUT pf_1',
    });
  });

  it('is followed by the failure of the certificate', async () => {
    const append = async (): Promise<never> => {
      throw new ServiceError('CONFLICT', 'no such reservation');
    };
    const { ask } = open({ ledger: { append } });
    const { events, failure } = await ask(delivering(removeTags));
    expect(failure).toBe('CONFLICT');
    expect(kindsOf(events)).toBe('opened part ending');
  });
});

describe('an answer whose delivery is not reported', () => {
  const DELIVERY_TIMEOUT_MS = 10_000;
  const ABORTED = [{ sha256: toContentHash(TAGGED.join('')), finishReason: 'aborted' }];

  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('is certified as aborted after ten seconds, with its usage', async () => {
    using timers = watchTimers(DELIVERY_TIMEOUT_MS);
    const { ask, certified } = open();
    const outcome = ask(() => {});
    await jest.advanceTimersByTimeAsync(DELIVERY_TIMEOUT_MS - 1);
    expect(certified).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect((await outcome).failure).toBe('DEADLINE_EXCEEDED pf_1');
    expect(certified.map(({ answer }) => answer)).toMatchObject(ABORTED);
    expect(certified[0]!.answer.usage.estimated).toBe(false);
    expect(timers.pendingCount()).toBe(0);
  });

  it('may be reported after the call’s own timeout', async () => {
    const { ask, certified } = open();
    const outcome = ask((send) => {
      setTimeout(() => delivering(removeTags)(send, TAGGED.join('')), 9_000);
    });
    await jest.advanceTimersByTimeAsync(9_000);
    expect((await outcome).failure).toBe('');
    expect(certified[0]!.answer).toMatchObject({
      sha256: toContentHash(CLEAN),
      finishReason: 'stop',
    });
  });

  it('is reserved until after both timeouts', async () => {
    const { ask, log } = open();
    await ask(delivering(removeTags));
    // 5 s for the call, 10 s for the caller's report, 10 s for ledger retries, 10 s of margin.
    expect(log[0]).toBe('reserve ws_a pf_1 35000');
  });

  it.each<[string, OnEnding, string]>([
    ['the caller closes its side', (send) => send(), 'CANCELLED pf_1'],
    [
      'the caller sends another request',
      (send) => send({ case: 'request', value: {} }),
      'INVALID_REQUEST pf_1',
    ],
    [
      'the caller sends an empty message',
      (send) => send({ case: undefined }),
      'INVALID_REQUEST pf_1',
    ],
  ])('is certified at once when %s', async (_name, onEnding, expected) => {
    const { ask, certified } = open();
    expect((await ask(onEnding)).failure).toBe(expected);
    expect(certified.map(({ answer }) => answer)).toMatchObject(ABORTED);
  });

  it('is certified at once when the caller disconnects', async () => {
    using timers = watchTimers(DELIVERY_TIMEOUT_MS);
    const { ask, certified, client } = open();
    expect((await ask(() => client.abort(cancelled()))).failure).toBe('CANCELLED pf_1');
    expect(certified.map(({ answer }) => answer)).toMatchObject(ABORTED);
    expect(timers.pendingCount()).toBe(0);
  });

  it('is certified as aborted when the caller disconnects before the end', async () => {
    const setup = open({
      reply: ({ signal }) =>
        streamOf(
          (async function* parts() {
            yield chatFrame({ choices: [{ index: 0, delta: { content: 'half' } }] });
            setup.client.abort(cancelled());
            signal.throwIfAborted();
          })(),
        ),
    });
    expect((await setup.ask(() => {})).failure).toBe('CANCELLED pf_1');
    expect(setup.certified[0]!.answer).toMatchObject({
      sha256: toContentHash('half'),
      finishReason: 'aborted',
    });
  });
});

describe('the first message', () => {
  it.each([
    ['is a wire body', wireRequest('messages')],
    ['is the delivered text', { case: 'delivered', value: {} } as const],
    ['is empty', { case: undefined } as const],
  ])('is refused when it %s', async (_name, first) => {
    const { deps, client, log } = open();
    const { failure } = await readEdited({ deps, client, log }, first, failIfEnded);
    expect(failure).toBe('INVALID_REQUEST');
    expect(log).toEqual([]);
  });

  it('times out after ten seconds', async () => {
    jest.useFakeTimers();
    const { deps, client } = open();
    const caller = { workspaceId: 'ws_a', requestId: 'req_1', signal: client.signal };
    const silentClient = {
      [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }),
    };
    const events = completeAsOverRpc(silentClient, caller, deps)[Symbol.asyncIterator]();
    const first = events.next().catch((error: unknown) => error);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(await first).toMatchObject({ reason: 'DEADLINE_EXCEEDED' });
    jest.useRealTimers();
  });
});
