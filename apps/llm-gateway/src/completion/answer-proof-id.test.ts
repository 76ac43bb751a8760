import { describe, expect, it } from '@jest/globals';
import { cancelled, conflict, ServiceError } from '@witan/contracts';
import { commitAnswer } from '@witan/proof';
import { createFakeProvider } from '../../test/fake-provider.ts';
import type { FakeProviderOptions } from '../../test/fake-provider.ts';
import { openCompletions } from '../../test/open-completions.ts';
import type { Outcome } from '../../test/open-completions.ts';
import {
  chatFrame,
  streamCutError,
  failing,
  refusalOf,
  replyInChat,
  streamOf,
  yieldThenFail,
  timedOut,
  unreachable,
} from '../../test/provider-answers.ts';
import { findEvent } from '../../test/read-as-client.ts';
import { neutralRequest, wireRequest } from '../../test/requests.ts';
import { delivering, readEdited } from '../../test/read-edited.ts';
import type { OnEnding } from '../../test/read-edited.ts';
import type { LedgerClient, Reservation } from '@witan/contracts';

type Reply = FakeProviderOptions['reply'];

const ANSWER = 'pf_answer0123456789ab';
const HALF_TEXT_FRAME = chatFrame({ choices: [{ index: 0, delta: { content: 'half' } }] });
const TOOL_CALLS = [{ id: 'call_a', name: 'find', arguments: '{"q":1}' }];
const TOOL_DELTA = { index: 0, id: 'call_a', function: { name: 'find', arguments: '{"q"' } };
const HALF_TOOL_CALL_FRAME = chatFrame({
  choices: [{ index: 0, delta: { tool_calls: [TOOL_DELTA] } }],
});
const replyWithTools: Reply = ({ body }) =>
  replyInChat({ content: 'Looking.', toolCalls: TOOL_CALLS }, body);

const FORMS = [
  ['plain', false],
  ['streamed', true],
] as const;

type SetupOptions = {
  replies?: readonly Reply[];
  ledger?: Partial<LedgerClient>;
  isMetered?: boolean;
};

/**
 * Opens completions with one target for each reply (`a`, `b`, `c`); the requests carry an
 * `answer_proof_id`.
 */
const open = ({ replies = [undefined], ledger = {}, isMetered = false }: SetupOptions = {}) => {
  const reservations: Reservation[] = [];
  const providers = replies.map((reply, n) => createFakeProvider({ name: 'abc'[n]!, reply }));
  const reserve: LedgerClient['reserve'] = async (workspaceId, reservation) => {
    reservations.push(reservation);
    if (ledger.reserve) return await ledger.reserve(workspaceId, reservation);
    return isMetered ? reservation.amount : undefined;
  };
  const completions = openCompletions({ providers, ledger: { ...ledger, reserve }, isMetered });
  const request = (streamed: boolean) => neutralRequest({ streamed }, { answerProofId: ANSWER });
  const ask = (onEnding: OnEnding = delivering((text) => text.toUpperCase()), streamed = true) =>
    readEdited(completions, request(streamed), onEnding);
  const appends = (): string[] =>
    completions.log.filter((line) => line.startsWith('append')).map((line) => line.slice(7));
  return { ...completions, reservations, ask, appends };
};
const readAnnouncedId = ({ events }: Outcome): string | undefined =>
  findEvent(events, 'opened').proofId;
const completed = ({ events }: Outcome): string | undefined =>
  findEvent(events, 'completed').proofId;

describe.each([
  ['metered', true],
  ['unmetered', false],
])('a call with an announced answer id: %s', (_name, isMetered) => {
  it.each(FORMS)('certifies a delivered answer under it: %s', async (_form, streamed) => {
    const { ask, appends, certified, reservations } = open({ isMetered });
    const outcome = await ask(undefined, streamed);
    expect(outcome.failure).toBe('');
    expect(readAnnouncedId(outcome)).toBe(ANSWER);
    expect(completed(outcome)).toBe(ANSWER);
    expect(appends()).toEqual([`${ANSWER} stop of pf_1`]);
    const choices = [{ index: 0, content: 'PONG', toolCalls: [] }];
    expect(certified[0]!.answer.sha256).toBe(commitAnswer(choices));
    // If the call were lost, the ledger would certify it under the id that the client knows.
    expect(reservations.map(({ intent }) => intent)).toMatchObject([
      { proofId: 'pf_1', lostProofId: ANSWER },
    ]);
  });

  it.each(FORMS)(
    'certifies an answer with tool calls under the attempt id: %s',
    async (_form, streamed) => {
      const { ask, appends, certified } = open({ replies: [replyWithTools], isMetered });
      const outcome = await ask(() => {}, streamed);
      expect(outcome.failure).toBe('');
      expect(readAnnouncedId(outcome)).toBe(ANSWER);
      expect(completed(outcome)).toBe('pf_1');
      expect(appends()).toEqual(['pf_1 tool_calls']);
      expect(certified[0]!.lostProofId).toBe('');
    },
  );

  it.each<[string, Reply, string, string]>([
    ['breaks off', () => streamOf([HALF_TEXT_FRAME]), 'PROVIDER_STREAM_CUT', 'error'],
    [
      'stalls',
      () => streamOf(yieldThenFail([HALF_TEXT_FRAME], timedOut)),
      'PROVIDER_TIMEOUT',
      'error',
    ],
    [
      'breaks off in a tool call',
      () => streamOf([HALF_TEXT_FRAME, HALF_TOOL_CALL_FRAME]),
      'PROVIDER_STREAM_CUT',
      'error',
    ],
    ['never arrives', failing(timedOut), 'PROVIDER_TIMEOUT', 'error'],
    [
      'fails inside the gateway',
      () => streamOf(yieldThenFail([HALF_TEXT_FRAME], () => new TypeError('bug'))),
      'INTERNAL',
      'error',
    ],
    [
      'is refused because of our API key',
      () => refusalOf(401),
      'PROVIDER_CREDENTIALS_REFUSED',
      'error',
    ],
  ])(
    'uses it for the certificate when the answer %s',
    async (_what, reply, reason, finishReason) => {
      const { ask, appends } = open({ replies: [reply], isMetered });
      expect((await ask()).failure).toBe(`${reason} ${ANSWER}`);
      expect(appends()).toEqual([`${ANSWER} ${finishReason} of pf_1`]);
    },
  );

  it.each([400, 429, 503])('uses it when the provider refuses with %s', async (status) => {
    const { ask, appends } = open({ replies: [() => refusalOf(status)], isMetered });
    const outcome = await ask();
    expect(outcome.failure).toBe('');
    expect([readAnnouncedId(outcome), completed(outcome)]).toEqual([ANSWER, ANSWER]);
    expect(appends()).toEqual([`${ANSWER} error of pf_1`]);
  });

  it('uses it when the client disconnects during the stream', async () => {
    const setup = open({
      isMetered,
      replies: [
        ({ signal }) =>
          streamOf(
            (async function* parts() {
              yield HALF_TEXT_FRAME;
              setup.client.abort(cancelled());
              signal.throwIfAborted();
            })(),
          ),
      ],
    });
    expect((await setup.ask()).failure).toBe(`CANCELLED ${ANSWER}`);
    expect(setup.appends()).toEqual([`${ANSWER} aborted of pf_1`]);
  });

  it('uses it when the caller does not report the delivered text', async () => {
    const { ask, appends } = open({ isMetered });
    expect((await ask((send) => send())).failure).toBe(`CANCELLED ${ANSWER}`);
    expect(appends()).toEqual([`${ANSWER} aborted of pf_1`]);
  });

  it('writes no certificate when nothing was sent', async () => {
    const { ask, appends, log } = open({ replies: [failing(unreachable)], isMetered });
    expect((await ask()).failure).toBe('PROVIDER_UNREACHABLE');
    expect(appends()).toEqual([]);
    expect(log.at(-1)).toBe('release pf_1');
  });
});

describe('attempts of a call with an announced answer id', () => {
  it('use it for the attempt that succeeds', async () => {
    const replies = [() => refusalOf(500), failing(timedOut), undefined];
    const { ask, appends } = open({ replies });
    const outcome = await ask();
    expect([readAnnouncedId(outcome), completed(outcome)]).toEqual([ANSWER, ANSWER]);
    expect(appends()).toEqual(['pf_1 error', 'pf_1f1 error', `${ANSWER} stop of pf_1f2`]);
  });

  it('use it for the last attempt when that fails', async () => {
    const { ask, appends } = open({ replies: [failing(streamCutError), failing(timedOut)] });
    expect((await ask()).failure).toBe(`PROVIDER_TIMEOUT ${ANSWER}`);
    expect(appends()).toEqual(['pf_1 error', `${ANSWER} error of pf_1f1`]);
  });

  it('use it for the last attempt although an earlier rate limit is thrown', async () => {
    const { ask, appends } = open({ replies: [() => refusalOf(429), failing(timedOut)] });
    expect((await ask()).failure).toBe(`RATE_LIMITED ${ANSWER}`);
    expect(appends()).toEqual(['pf_1 error', `${ANSWER} error of pf_1f1`]);
  });

  it('leave it unused when the last attempt sent nothing', async () => {
    const { ask, appends } = open({ replies: [failing(timedOut), failing(unreachable)] });
    expect((await ask()).failure).toBe('PROVIDER_UNREACHABLE pf_1');
    expect(appends()).toEqual(['pf_1 error']);
  });

  it('use it when a failure is not retried', async () => {
    const { ask, appends } = open({ replies: [() => streamOf([HALF_TEXT_FRAME]), undefined] });
    expect((await ask()).failure).toBe(`PROVIDER_STREAM_CUT ${ANSWER}`);
    expect(appends()).toEqual([`${ANSWER} error of pf_1`]);
    const setup = open({
      replies: [
        (call) => {
          setup.client.abort(cancelled());
          return failing(timedOut)(call);
        },
        undefined,
      ],
    });
    expect((await setup.ask()).failure).toBe(`PROVIDER_TIMEOUT ${ANSWER}`);
    expect(setup.appends()).toEqual([`${ANSWER} aborted of pf_1`]);
  });

  it('use the attempt id when a fallback returns tool calls', async () => {
    const { ask, appends } = open({ replies: [failing(streamCutError), replyWithTools] });
    expect(completed(await ask())).toBe('pf_1f1');
    expect(appends()).toEqual(['pf_1 error', 'pf_1f1 tool_calls']);
  });
});

describe('an announced answer id', () => {
  it('that belongs to another call is replaced by the attempt id, and the call fails', async () => {
    const append = async (_workspaceId: string, { proofId }: { proofId: string }) => {
      if (proofId === ANSWER) throw conflict('taken');
      return proofId;
    };
    const { ask, appends, certified } = open({ ledger: { append } });
    const outcome = await ask();
    expect(outcome.failure).toBe('CONFLICT pf_1');
    expect(outcome.events.at(-1)!.event?.case).toBe('ending');
    expect(appends()).toEqual(['pf_1 stop']);
    const choices = [{ index: 0, content: 'PONG', toolCalls: [] }];
    expect(certified[0]!.answer.sha256).toBe(commitAnswer(choices));
    const failed = open({ ledger: { append }, replies: [() => streamOf([HALF_TEXT_FRAME])] });
    expect((await failed.ask()).failure).toBe('PROVIDER_STREAM_CUT pf_1');
    expect(failed.appends()).toEqual(['pf_1 error']);
  });

  it('is replaced by the id of the certificate that the sweeper wrote first', async () => {
    const { ask } = open({ ledger: { append: async () => 'pf_1' } });
    const outcome = await ask();
    expect([readAnnouncedId(outcome), completed(outcome)]).toEqual([ANSWER, 'pf_1']);
    const failed = open({
      ledger: { append: async () => 'pf_1' },
      replies: [() => streamOf([HALF_TEXT_FRAME])],
    });
    expect((await failed.ask()).failure).toBe('PROVIDER_STREAM_CUT pf_1');
  });

  it('is stored again with an intent whose output limit was lowered', async () => {
    const reserve = async (_workspaceId: string, { amount, minimum }: Reservation) =>
      Math.min(amount, minimum + 5);
    const { ask, appends, reservations } = open({ ledger: { reserve }, isMetered: true });
    expect((await ask()).failure).toBe('');
    expect(reservations.map(({ intent }) => intent.lostProofId)).toEqual([ANSWER, ANSWER]);
    expect(appends()).toEqual([`${ANSWER} stop of pf_1`]);
  });

  it.each([
    ['that is not a proof id', 'agt_0123456789abcdef0123'],
    ['that is too short for the ledger', 'pf_short'],
    ['that equals the attempt id', 'pf_0123456789abcdef0123'],
  ])('%s is refused before anything is written', async (_what, answerProofId) => {
    const { deps, client, log } = open();
    const request = neutralRequest({}, { proofId: 'pf_0123456789abcdef0123', answerProofId });
    const { failure } = await readEdited({ deps, client, log }, request, () => {});
    expect(failure).toBe('INVALID_REQUEST');
    expect(log).toEqual([]);
  });

  it.each([
    ['a conversation', neutralRequest({}, { answerProofId: ANSWER })],
    ['a wire body', wireRequest('messages', {}, { answerProofId: ANSWER })],
  ])('is refused by Complete: %s', async (_what, request) => {
    const { read, log } = open();
    expect((await read(request)).failure).toBe('INVALID_REQUEST');
    expect(log).toEqual([]);
  });

  it('is not named when the reservation fails', async () => {
    const reserve = async (): Promise<never> => {
      throw new ServiceError('LEDGER_UNAVAILABLE', 'down');
    };
    const { ask, appends } = open({ ledger: { reserve } });
    expect((await ask()).failure).toBe('LEDGER_UNAVAILABLE');
    expect(appends()).toEqual([]);
  });
});
