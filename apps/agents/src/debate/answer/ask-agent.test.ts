import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '@witan/contracts';
import type { Reason } from '@witan/contracts';
import type { ModelPiece, OpenCall } from '@witan/dialects';
import { fixedLimits } from '../../../test/fixed-limits.ts';
import { answerOf } from '../../../test/answer-of.ts';
import { withSecondAttempt } from '../../completion/with-second-attempt.ts';
import { LeaseLostError } from '../record/debate-store.ts';
import { askAgent } from './ask-agent.ts';
import type { AskAgentDeps, AgentRequest } from './ask-agent.ts';

const NOW = new Date('2026-11-22T10:00:00Z');

const ISSUE = { id: 'i1', proposition: 'We should hire.', weight: 1 };
const REQUEST: AgentRequest = {
  member: {
    agent: {
      id: 'agt_1',
      slug: 'doubt',
      name: 'Doubt',
      role: '',
      systemPrompt: 'You doubt.',
      personality: '',
      mission: '',
      decisionStyle: '',
      model: 'gpt-test',
      createdAt: NOW,
      updatedAt: NOW,
    },
    memories: [],
    passages: [],
  },
  task: { issues: [ISSUE], levers: [], agentCount: 3, decision: ISSUE },
  question: 'Shall we hire?',
  briefing: '',
  earlier: [],
  others: '',
  isStreamed: true,
  isSensitive: false,
  requestSha256: '00',
  timeoutMs: 30_000,
  debateStartedAt: NOW,
  lastAnswer: undefined,
  onDelta: () => {},
};

const toAnswer = (changes: object = {}): string =>
  JSON.stringify({
    content: 'No.',
    conclusion: 'No.',
    stances: { i1: { stance: 'against', confidence: 0.9 } },
    keyPoints: ['Too dear.'],
    changeReason: null,
    wouldChangeMind: 'A signed contract.',
    ...changes,
  });
const ANSWER = toAnswer();

type CallResult = Reason | { text: string; finishReason: string };

const ask = async (
  outcomes: readonly CallResult[],
  {
    timeoutMs = REQUEST.timeoutMs,
    lastAnswer = REQUEST.lastAnswer,
    checkLease = async () => {},
    wrap = (openCall) => openCall,
  }: Partial<Pick<AgentRequest, 'timeoutMs' | 'lastAnswer'> & Pick<AskAgentDeps, 'checkLease'>> & {
    wrap?: (openCall: OpenCall) => OpenCall;
  } = {},
) => {
  let calls = 0;
  const delivered: string[] = [];
  const openCall: OpenCall = () => {
    const response = outcomes[calls] ?? { text: ANSWER, finishReason: 'stop' };
    calls += 1;
    const pieces = typeof response === 'string' ? failing(response) : answering(response);
    return { pieces, deliver: (content) => void delivered.push(content) };
  };
  const caller = { workspaceId: 'ws_1', requestId: 'req_1', signal: new AbortController().signal };
  const reply = await askAgent({ ...REQUEST, timeoutMs, lastAnswer }, caller, {
    openCall: wrap(openCall),
    newId: (prefix) => `${prefix}_${calls}`,
    limitsOf: fixedLimits(),
    ratioOf: () => 1,
    learn: () => {},
    clock: () => NOW,
    checkLease,
    retryAfterMs: 1,
  });
  return { reply, calls, delivered };
};

async function* failing(reason: Reason): AsyncGenerator<ModelPiece> {
  yield* await Promise.reject<ModelPiece[]>(new ServiceError(reason, 'It is away.'));
}

async function* answering({
  text,
  finishReason,
}: Exclude<CallResult, string>): AsyncGenerator<ModelPiece> {
  yield { kind: 'text', text };
  const usage = { promptTokens: 10, completionTokens: 5, totalTokens: 15 };
  yield { kind: 'ending', finishReason, usage, proofId: 'pf_1' };
}

const ABSENT_REPLY = { absence: { agentId: 'agt_1', reason: 'unavailable' } };

describe('askAgent', () => {
  it.each<[string, Reason[]]>([
    ['a provider once', ['PROVIDER_UNREACHABLE']],
    ['the llm-gateway until it is available again', ['UNAVAILABLE', 'UNAVAILABLE', 'UNAVAILABLE']],
    ['the ledger, and then a provider', ['LEDGER_UNAVAILABLE', 'UNAVAILABLE', 'RATE_LIMITED']],
  ])('retries an unavailable service: %s', async (_what, reasons) => {
    const { reply, calls } = await ask(reasons);
    expect(reply).toMatchObject({ answer: { agentId: 'agt_1', content: 'No.' } });
    expect(calls).toBe(reasons.length + 1);
  });

  it('retries a failing provider only once', async () => {
    const failures: Reason[] = ['PROVIDER_UNREACHABLE', 'PROVIDER_TIMEOUT'];
    const { reply, calls } = await ask(failures);
    expect([reply, calls]).toMatchObject([ABSENT_REPLY, 2]);
  });

  it('gives up if the llm-gateway stays unavailable', async () => {
    const { reply, calls } = await ask(Array.from({ length: 20 }, () => 'UNAVAILABLE' as const));
    expect([reply, calls]).toMatchObject([ABSENT_REPLY, 7]);
  });

  it('does not retry without enough time left', async () => {
    const { reply, calls } = await ask(['UNAVAILABLE'], { timeoutMs: 1_500 });
    expect([reply, calls]).toMatchObject([ABSENT_REPLY, 1]);
  });

  it('does not retry a call that was refused', async () => {
    const { reply, calls } = await ask(['INSUFFICIENT_QUOTA']);
    expect([reply, calls]).toMatchObject([{ absence: { reason: 'refused' } }, 1]);
  });

  it.each<[string, CallResult]>([
    ['at its limit', { text: '', finishReason: 'length' }],
    ['by a filter', { text: '', finishReason: 'content_filter' }],
    ['with white space', { text: ' \n', finishReason: 'stop' }],
    ['before its content', { text: '{"cont', finishReason: 'length' }],
  ])('reports an agent as absent if its answer and the retry end %s', async (_what, response) => {
    const { reply, calls, delivered } = await ask([response, response]);
    expect([reply, calls, delivered]).toMatchObject([ABSENT_REPLY, 2, ['', '']]);
  });

  it('reports an agent as absent if its answer is empty and the retry fails', async () => {
    const response = { text: '', finishReason: 'length' };
    const { reply } = await ask([response, 'INSUFFICIENT_QUOTA']);
    expect(reply).toMatchObject({ absence: { reason: 'refused' } });
  });

  it('returns the answer of the retry if the first one is empty', async () => {
    const { reply, calls } = await ask([{ text: '', finishReason: 'length' }]);
    expect([reply, calls]).toMatchObject([{ answer: { content: 'No.', finishReason: 'stop' } }, 2]);
  });

  it('returns the text of a truncated answer with its finish reason', async () => {
    const response = { text: '{"content":"No, because it is', finishReason: 'length' };
    const { reply, delivered } = await ask([response, response]);
    const content = 'No, because it is';
    expect(reply).toMatchObject({ answer: { content, stances: [], finishReason: 'length' } });
    expect(delivered).toEqual([content, content]);
  });

  it.each([
    ['agrees', { stances: { i1: 'against' } }, [-1, 'No. I hold that we wait.']],
    [
      'agrees, whatever its text',
      { stances: { i1: 'against' }, content: 'No.' },
      [-1, 'No. I hold that we wait.'],
    ],
    ['repeats the stance', {}, [0.5, 'No. I hold that we wait.']],
    ['has no stance', { stances: {} }, [0.5, 'No. I hold that we wait.']],
  ])(
    'asks for the stance again if the text contradicts it; the second answer %s',
    async (_what, change, then) => {
      const stances = { i1: { stance: 'rather for', confidence: 0.9 } };
      const first = { stances, content: 'No. I hold that we wait.' };
      const toResponse = (text: string) => ({ text, finishReason: 'stop' });
      const { reply, calls } = await ask([
        toResponse(toAnswer(first)),
        toResponse(toAnswer({ ...first, ...change })),
      ]);
      const [stance, content] = then;
      expect([calls, reply]).toMatchObject([2, { answer: { content, stances: [{ stance }] } }]);
    },
  );

  it('keeps a text that contradicts its stance if the second answer cannot be read', async () => {
    const text = toAnswer({ stances: { i1: 'for' } });
    const { reply, calls } = await ask([
      { text, finishReason: 'stop' },
      { text: 'What?', finishReason: 'stop' },
    ]);
    expect([calls, reply]).toMatchObject([2, { answer: { content: 'No.' } }]);
  });

  it.each([
    ['a changed stance', 0.5, true, 'A new contract.'],
    ['the same stance, whatever the model says', -1, false, ''],
  ])('derives from the stances whether an agent changed its mind: %s', async (...row) => {
    const [, stance, changedMind, changeReason] = row;
    const lastAnswer = answerOf('agt_1', [stance]);
    const text = toAnswer({ changedMind: !changedMind, changeReason: 'A new contract.' });
    const { reply } = await ask([{ text, finishReason: 'stop' }], { lastAnswer });
    expect(reply).toMatchObject({ answer: { changedMind, changeReason } });
  });

  it('makes no call and no retry if another process has the lease', async () => {
    const loseLease = () => Promise.reject(new LeaseLostError());
    await expect(ask([], { checkLease: loseLease })).rejects.toThrow(LeaseLostError);
    let checks = 0;
    const loseLeaseAtSecondCheck = async (): Promise<void> => {
      checks += 1;
      if (checks === 2) await loseLease();
    };
    await expect(ask(['UNAVAILABLE'], { checkLease: loseLeaseAtSecondCheck })).rejects.toThrow(
      LeaseLostError,
    );
  });

  it('does not retry a truncated answer if another process has the lease', async () => {
    let checks = 0;
    const checkLease = async (): Promise<void> => {
      checks += 1;
      if (checks === 2) throw new LeaseLostError();
    };
    const response = { text: '', finishReason: 'length' };
    const pendingAnswer = ask([response], {
      checkLease,
      wrap: (openCall) => withSecondAttempt(openCall, String),
    });
    await expect(pendingAnswer).rejects.toThrow(LeaseLostError);
    expect(checks).toBe(2);
  });
});
