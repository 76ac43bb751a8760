import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from '@jest/globals';
import { AddressSchema, cancelled, CompleteRequestSchema, ServiceError } from '@witan/contracts';
import type { Draft } from '@witan/contracts';
import { commitAnswer } from '@witan/proof';
import type { Books, Provider, ProviderAnswer } from './ports.ts';
import { runCompletion } from './run-completion.ts';
import type { CompletionDeps, CompletionEvent } from './run-completion.ts';

const PLAIN = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
});
const CHUNK = 'data: {"choices":[{"index":0,"delta":{"content":"hi"}}]}\n\n';
const DONE = 'data: [DONE]\n\n';
const HI = commitAnswer([{ index: 0, content: 'hi', toolCalls: [] }]);

const request = (body: object = {}) =>
  create(CompleteRequestSchema, {
    proofId: 'pf_1',
    address: create(AddressSchema, { requested: 'gpt-5', kind: 'model', model: 'gpt-5' }),
    requestSha256: 'aa'.repeat(32),
    input: {
      case: 'wire',
      value: {
        dialect: 'chat-completions',
        json: Buffer.from(JSON.stringify({ model: 'gpt-5', messages: [], ...body })),
      },
    },
  });

const answerOf = (
  parts: AsyncIterable<string> | readonly string[],
  init: Partial<ProviderAnswer> = {},
): ProviderAnswer => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: (async function* toBytes() {
    for await (const part of parts) yield Buffer.from(part);
  })(),
  ...init,
});
const STREAM = { headers: { 'content-type': 'text/event-stream; charset=utf-8' } };

/** The house of one completion; `log` tells in which order things happened. */
const open = (complete: Provider['complete'], books: Partial<Books> = {}) => {
  const log: string[] = [];
  const sealed: Draft[] = [];
  const note = (what: string): void => void log.push(what);
  const deps: CompletionDeps = {
    books: {
      reserve: async (workspaceId, intent, expiresInMs) => {
        note(`reserve ${workspaceId} ${intent.proofId} ${expiresInMs}`);
        await books.reserve?.(workspaceId, intent, expiresInMs);
      },
      append: async (workspaceId, draft) => {
        await books.append?.(workspaceId, draft);
        note(`append ${draft.answer!.finishReason}`);
        sealed.push(draft);
      },
      release: async (workspaceId, proofId) => {
        note(`release ${proofId}`);
        await books.release?.(workspaceId, proofId);
      },
    },
    providers: new Map([
      [
        'openai',
        {
          name: 'openai',
          complete: (call) => {
            note('send');
            return complete(call);
          },
          listModels: async () => [],
        },
      ],
    ]),
    settingsFor: async () => ({
      providers: new Set(['openai'] as const),
      defaultProvider: 'openai' as const,
      fullModel: 'gpt-full',
      local: undefined,
      isLocalModel: false,
    }),
    maxOutputTokens: 100,
    totalTimeoutMs: 5_000,
  };
  const client = new AbortController();
  const run = (body?: object) =>
    runCompletion(request(body), { workspaceId: 'ws_a', signal: client.signal }, deps);
  return { log, sealed, client, run, deps, note };
};

const readAll = async (events: AsyncIterable<CompletionEvent>, note?: (what: string) => void) => {
  const all: CompletionEvent[] = [];
  for await (const event of events) {
    note?.(String(event.event?.case));
    all.push(event);
  }
  return all;
};
const reasonOf = async (events: AsyncIterable<CompletionEvent>): Promise<unknown> => {
  try {
    await readAll(events);
  } catch (error) {
    const { reason, fields } = error as ServiceError;
    return fields.proof ? `${reason} ${fields.proof}` : reason;
  }
  return 'no failure';
};
const unreachable = (): ServiceError => new ServiceError('PROVIDER_UNREACHABLE', 'nobody there');

describe('a completion', () => {
  it('is reserved, sent, certified and only then answered', async () => {
    const { log, run, note, sealed } = open(async () => answerOf([PLAIN]));
    await readAll(run(), note);
    expect(log).toEqual([
      'reserve ws_a pf_1 25000',
      'send',
      'append stop',
      'opened',
      'wire',
      'completed',
    ]);
    expect(sealed[0]!.answer).toMatchObject({
      sha256: HI,
      usage: { promptTokens: 3, completionTokens: 1, totalTokens: 4, estimated: false },
    });
  });

  it('streams as it comes, and keeps the end until the certificate is durable', async () => {
    const { log, run, note } = open(async () => answerOf([CHUNK, CHUNK, DONE], STREAM));
    await readAll(run({ stream: true }), note);
    expect(log.slice(2)).toEqual(['opened', 'wire', 'wire', 'append stop', 'wire', 'completed']);
  });

  it('is not sent when its intent cannot be written', async () => {
    const { log, run } = open(async () => answerOf([PLAIN]), {
      reserve: async () => {
        throw new ServiceError('LEDGER_UNAVAILABLE', 'down');
      },
    });
    expect(await reasonOf(run())).toBe('LEDGER_UNAVAILABLE');
    // Nobody knows whether it was written: released in the background, should it have been.
    expect(log).toEqual(['reserve ws_a pf_1 25000', 'release pf_1']);
  });

  it('leaves no certificate when nothing left for the provider', async () => {
    const { log, run } = open(async () => {
      throw unreachable();
    });
    expect(await reasonOf(run())).toBe('PROVIDER_UNREACHABLE');
    expect(log).toEqual(['reserve ws_a pf_1 25000', 'send', 'release pf_1']);
  });

  it('tells of the provider even when the ledger cannot release', async () => {
    const { run } = open(
      async () => {
        throw unreachable();
      },
      {
        release: async () => {
          throw new ServiceError('LEDGER_UNAVAILABLE', 'down');
        },
      },
    );
    expect(await reasonOf(run())).toBe('PROVIDER_UNREACHABLE');
  });

  it.each([
    ['cut before its headers', 'PROVIDER_STREAM_CUT'],
    ['too slow', 'PROVIDER_TIMEOUT'],
  ] as const)('is certified as failed when the provider was %s', async (_name, reason) => {
    const { run, sealed } = open(async () => {
      throw new ServiceError(reason, 'failed');
    });
    expect(await reasonOf(run())).toBe(`${reason} pf_1`);
    expect(sealed.map(({ answer }) => answer!.finishReason)).toEqual(['error']);
  });

  it('is certified with what was delivered when a stream ends without its end', async () => {
    const { run, sealed } = open(async () => answerOf([CHUNK], STREAM));
    expect(await reasonOf(run({ stream: true }))).toBe('PROVIDER_STREAM_CUT pf_1');
    expect(sealed[0]!.answer).toMatchObject({ finishReason: 'error', sha256: HI });
  });

  it('is certified as aborted, with what was delivered, when its client leaves', async () => {
    const { run, sealed, client } = open(async ({ signal }) =>
      answerOf(
        (async function* parts() {
          yield CHUNK;
          client.abort(cancelled());
          signal.throwIfAborted();
        })(),
        STREAM,
      ),
    );
    expect(await reasonOf(run({ stream: true }))).toBe('CANCELLED pf_1');
    expect(sealed[0]!.answer).toMatchObject({ finishReason: 'aborted', sha256: HI });
  });

  it('is neither sent nor certified when its client left before', async () => {
    const { run, log, client } = open(async () => answerOf([PLAIN]), {
      reserve: async () => client.abort(cancelled()),
    });
    expect(await reasonOf(run())).toBe('CANCELLED');
    expect(log).toEqual(['reserve ws_a pf_1 25000', 'release pf_1']);
  });

  it.each([
    ['429', 429, '{"error":{"message":"slow down"}}', 'opened wire completed'],
    ['500', 500, '{"error":{"message":"broken"}}', 'opened wire completed'],
    ['401, which is about our key', 401, '{"error":{}}', 'PROVIDER_CREDENTIALS_REFUSED pf_1'],
    ['403, which is about our key', 403, '{"error":{}}', 'PROVIDER_CREDENTIALS_REFUSED pf_1'],
    ['an HTML 502', 502, '<html>', 'PROVIDER_INVALID_ANSWER pf_1'],
    ['a redirect', 302, '{}', 'PROVIDER_INVALID_ANSWER pf_1'],
  ])('passes a refusal on or makes it our own: %s', async (_name, status, body, expected) => {
    const { run, sealed } = open(async () => answerOf([body], { status }));
    const events: string[] = [];
    const outcome = await reasonOf(
      (async function* noted() {
        for await (const event of run()) {
          events.push(String(event.event?.case));
          yield event;
        }
      })(),
    );
    expect(outcome === 'no failure' ? events.join(' ') : outcome).toBe(expected);
    expect(sealed.map(({ answer }) => answer!.finishReason)).toEqual(['error']);
  });

  it.each([
    ['an HTML page', '<html></html>'],
    ['half a JSON text', PLAIN.slice(0, 30)],
    ['a list', '[]'],
  ])('takes %s for no answer', async (_name, body) => {
    const { run, sealed } = open(async () => answerOf([body]));
    expect(await reasonOf(run())).toBe('PROVIDER_INVALID_ANSWER pf_1');
    expect(sealed[0]!.answer!.finishReason).toBe('error');
  });

  it('estimates the usage that a provider does not report, and says so', async () => {
    const body = PLAIN.replace(/,"usage".*/, '}');
    const { run, sealed } = open(async () => answerOf([body]));
    await readAll(run());
    expect(sealed[0]!.answer!.usage).toMatchObject({ estimated: true });
  });
});
