import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '@witan/contracts';
import type { Reason } from '@witan/contracts';
import type { ModelPiece, OpenCall } from '../../model/model-call.ts';
import { withSecondAttempt } from '../../model/with-second-attempt.ts';
import { LeaseLost } from '../record/debate-store.ts';
import { askAgent } from './ask-agent.ts';
import type { AskAgentDeps, Asked } from './ask-agent.ts';

const NOW = new Date('2026-11-22T10:00:00Z');

const ASKED: Asked = {
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
  task: { issues: [{ id: 'i1', proposition: 'We hire.', weight: 1 }], levers: [], agentCount: 3 },
  question: 'Shall we hire?',
  briefing: '',
  earlier: [],
  others: '',
  isStreamed: true,
  isSensitive: false,
  requestSha256: '00',
  timeoutMs: 30_000,
  onDelta: () => {},
};

const ANSWER = JSON.stringify({
  content: 'No.',
  position: 'No.',
  stances: [{ issue: 'i1', stance: -1, confidence: 0.9 }],
  keyPoints: [{ id: 'p1', text: 'Too dear.' }],
  changedMind: false,
  changeReason: null,
  wouldChangeMind: 'A signed contract.',
});

/** What a model says in one call: a failure, or a text and how it ends. */
type Said = Reason | { text: string; finishReason: string };

/** Asks while the first calls come out like this; answers how many calls were made. */
const ask = async (
  outcomes: readonly Said[],
  {
    timeoutMs = ASKED.timeoutMs,
    checkLease = async () => {},
    wrap = (openCall) => openCall,
  }: Partial<Pick<Asked, 'timeoutMs'> & Pick<AskAgentDeps, 'checkLease'>> & {
    wrap?: (openCall: OpenCall) => OpenCall;
  } = {},
) => {
  let calls = 0;
  const delivered: string[] = [];
  const openCall: OpenCall = () => {
    const said = outcomes[calls] ?? { text: ANSWER, finishReason: 'stop' };
    calls += 1;
    const pieces = typeof said === 'string' ? failing(said) : answering(said);
    return { pieces, deliver: (content) => void delivered.push(content) };
  };
  const caller = { workspaceId: 'ws_1', requestId: 'req_1', signal: new AbortController().signal };
  const reply = await askAgent({ ...ASKED, timeoutMs }, caller, {
    openCall: wrap(openCall),
    newId: (prefix) => `${prefix}_${calls}`,
    contextTokens: 128_000,
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
}: Exclude<Said, string>): AsyncGenerator<ModelPiece> {
  yield { kind: 'text', text };
  const usage = { promptTokens: 10, completionTokens: 5, totalTokens: 15 };
  yield { kind: 'ending', finishReason, usage, proofId: 'pf_1' };
}

const ABSENT = { absence: { agentId: 'agt_1', reason: 'unavailable' } };

describe('askAgent', () => {
  it.each<[string, Reason[]]>([
    ['a provider once', ['PROVIDER_UNREACHABLE']],
    ['the llm-gateway until it is started again', ['UNAVAILABLE', 'UNAVAILABLE', 'UNAVAILABLE']],
    ['the ledger, and then a provider', ['LEDGER_UNAVAILABLE', 'UNAVAILABLE', 'RATE_LIMITED']],
  ])('asks again what was away: %s', async (_what, reasons) => {
    const { reply, calls } = await ask(reasons);
    expect(reply).toMatchObject({ answer: { agentId: 'agt_1', content: 'No.' } });
    expect(calls).toBe(reasons.length + 1);
  });

  it('asks a provider that fails no third time', async () => {
    const failures: Reason[] = ['PROVIDER_UNREACHABLE', 'PROVIDER_TIMEOUT'];
    const { reply, calls } = await ask(failures);
    expect([reply, calls]).toMatchObject([ABSENT, 2]);
  });

  it('gives up when the llm-gateway stays away', async () => {
    const { reply, calls } = await ask(Array.from({ length: 20 }, () => 'UNAVAILABLE' as const));
    expect([reply, calls]).toMatchObject([ABSENT, 7]);
  });

  it('asks not again without time for it', async () => {
    const { reply, calls } = await ask(['UNAVAILABLE'], { timeoutMs: 1_500 });
    expect([reply, calls]).toMatchObject([ABSENT, 1]);
  });

  it('asks not again what was refused', async () => {
    const { reply, calls } = await ask(['INSUFFICIENT_QUOTA']);
    expect([reply, calls]).toMatchObject([{ absence: { reason: 'refused' } }, 1]);
  });

  it.each<[string, Said]>([
    ['at its limit', { text: '', finishReason: 'length' }],
    ['by a filter', { text: '', finishReason: 'content_filter' }],
    ['with white space', { text: ' \n', finishReason: 'stop' }],
    ['before its content', { text: '{"cont', finishReason: 'length' }],
  ])('counts an agent as absent whose answer ends %s, also asked again', async (_what, said) => {
    const { reply, calls, delivered } = await ask([said, said]);
    expect([reply, calls, delivered]).toMatchObject([ABSENT, 2, ['', '']]);
  });

  it('counts an agent as absent whose answer is empty and whose second one fails', async () => {
    const said = { text: '', finishReason: 'length' };
    const { reply } = await ask([said, 'INSUFFICIENT_QUOTA']);
    expect(reply).toMatchObject({ absence: { reason: 'refused' } });
  });

  it('gives the second answer where the first is empty', async () => {
    const { reply, calls } = await ask([{ text: '', finishReason: 'length' }]);
    expect([reply, calls]).toMatchObject([{ answer: { content: 'No.', finishReason: 'stop' } }, 2]);
  });

  it('shows the text of an answer that is cut off, and says so', async () => {
    const said = { text: '{"content":"No, because it is', finishReason: 'length' };
    const { reply, delivered } = await ask([said, said]);
    const content = 'No, because it is';
    expect(reply).toMatchObject({ answer: { content, stances: [], finishReason: 'length' } });
    expect(delivered).toEqual([content, content]);
  });

  it('asks nobody, and not again, when another process holds the debate by now', async () => {
    const lost = () => Promise.reject(new LeaseLost());
    await expect(ask([], { checkLease: lost })).rejects.toThrow(LeaseLost);
    let checks = 0;
    const lostMeanwhile = async (): Promise<void> => {
      checks += 1;
      if (checks === 2) await lost();
    };
    await expect(ask(['UNAVAILABLE'], { checkLease: lostMeanwhile })).rejects.toThrow(LeaseLost);
  });

  it('repeats no answer that was cut off when another process holds the debate by then', async () => {
    let checks = 0;
    const checkLease = async (): Promise<void> => {
      checks += 1;
      if (checks === 2) throw new LeaseLost();
    };
    const said = { text: '', finishReason: 'length' };
    const asking = ask([said], {
      checkLease,
      wrap: (openCall) => withSecondAttempt(openCall, String),
    });
    await expect(asking).rejects.toThrow(LeaseLost);
    expect(checks).toBe(2);
  });
});
