import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '@witan/contracts';
import type { Caller, ModelCall, OpenCall } from '@witan/dialects';
import type { Extraction } from '../extraction/extract-facts.ts';
import { fixedLimits } from '../../test/fixed-limits.ts';
import { assist } from './assist.ts';
import type { AssistRequest } from './assist.ts';

const REQUEST: AssistRequest = {
  systemPrompt: 'You are terse.',
  messages: [
    { role: 'user', content: 'We are 120 people.' },
    { role: 'assistant', content: 'Noted.' },
    { role: 'system', content: 'Hurry.' },
    { role: 'user', content: 'And we hire.' },
  ],
  json: false,
  supplementary: [],
  proofId: 'pf_client',
  requestSha256: 'cd'.repeat(32),
};
const EXTRACTION = { source: 'crm', categories: ['company'], persist: true };
const FACT = { category: 'company', key: 'employees', value: '120', confidence: 1 };
const USAGE = { promptTokens: 10, completionTokens: 2, totalTokens: 12 };
const OPENED_FIELDS = { provider: 'openai', model: 'gpt', providerMs: 1, droppedParams: ['top_k'] };
const OBJECT = '{"a": 1}';

const UNUSABLE_ANSWER_ERROR = { reason: 'PROVIDER_INVALID_ANSWER', fields: { proof: 'pf_again' } };

type Answer = string | { cut: string; reason?: string } | Error;

const openAssist = (...answers: Answer[]) => {
  const calls: ModelCall[] = [];
  const delivered: string[] = [];
  const extractions: Extraction[] = [];
  const openCall: OpenCall = (call) => {
    const answer = answers[calls.push(call) - 1]!;
    return {
      pieces: streamAnswer(call, answer),
      deliver: (content) => void delivered.push(content),
    };
  };
  const client = new AbortController();
  const caller: Caller = { workspaceId: 'ws_1', requestId: 'req_1', signal: client.signal };
  const run = (more: Partial<AssistRequest> = {}) =>
    assist({ ...REQUEST, ...more }, caller, {
      openCall,
      newId: (prefix) => `${prefix}_again`,
      extractFacts: async (extraction) => {
        extractions.push(extraction);
        return { facts: [FACT], usage: USAGE, proofIds: ['pf_facts'] };
      },
      limitsOf: fixedLimits(10_000),
    });
  return { run, calls, delivered, extractions, client };
};

async function* streamAnswer(call: ModelCall, answer: Answer): ReturnType<typeof pieces> {
  if (answer instanceof Error) throw answer;
  yield* pieces(call.proofId, typeof answer === 'string' ? answer : answer.cut, {
    finishReason: typeof answer === 'string' ? 'stop' : (answer.reason ?? 'length'),
  });
}

async function* pieces(proofId: string, text: string, { finishReason }: { finishReason: string }) {
  yield { kind: 'opened' as const, ...OPENED_FIELDS, proofId };
  yield { kind: 'reasoning' as const, text: 'Hm.' };
  yield { kind: 'text' as const, text: text.slice(0, 3) };
  yield { kind: 'text' as const, text: text.slice(3) };
  yield { kind: 'ending' as const, finishReason, usage: USAGE, proofId };
}

describe('assist', () => {
  it("makes one call under the client's certificate id, without extraction by default", async () => {
    const { run, calls, delivered, extractions } = openAssist('Good.');
    expect(await run()).toEqual({
      content: 'Good.',
      extracted: [],
      model: 'gpt',
      finishReason: 'stop',
      droppedParams: ['top_k'],
      usage: USAGE,
      proofIds: ['pf_client'],
    });
    expect(calls).toEqual([
      expect.objectContaining({
        proofId: 'pf_client',
        requestSha256: REQUEST.requestSha256,
        address: { requested: 'service-auto', kind: 'service-auto' },
      }),
    ]);
    expect(calls[0]).not.toHaveProperty('purpose');
    expect(delivered).toEqual(['Good.']);
    expect(extractions).toEqual([]);
  });

  it("extracts facts from the user's messages only and adds the usage", async () => {
    const { run, extractions } = openAssist('Good.');
    expect(await run({ extraction: EXTRACTION })).toMatchObject({
      extracted: [FACT],
      usage: { promptTokens: 20, completionTokens: 4, totalTokens: 24 },
      proofIds: ['pf_client', 'pf_facts'],
    });
    const { requestSha256 } = REQUEST;
    const texts = ['We are 120 people.', 'And we hire.'];
    expect(extractions).toEqual([{ ...EXTRACTION, texts, requestSha256 }]);
  });

  it.each([
    ['source', { ...EXTRACTION, source: ' ' }],
    ['source', { ...EXTRACTION, source: 'a\0' }],
    ['categories', { ...EXTRACTION, categories: [] }],
    ['categories', { ...EXTRACTION, categories: ['x', ''] }],
  ])('rejects an invalid %s before any call', async (name, extraction) => {
    const { run, calls } = openAssist('Good.');
    const fields = { param: `extraction.${name}` };
    await expect(run({ extraction })).rejects.toMatchObject({ reason: 'INVALID_REQUEST', fields });
    expect(calls).toEqual([]);
  });

  it('makes no call when the prompt does not fit', async () => {
    const { run, calls } = openAssist('Good.');
    const result = run({ systemPrompt: 'word '.repeat(20_000) });
    await expect(result).rejects.toMatchObject({ reason: 'REQUEST_TOO_LARGE' });
    expect(calls).toEqual([]);
  });

  it('fails with the error of its call, without extraction', async () => {
    const { run, extractions } = openAssist(new ServiceError('PROVIDER_TIMEOUT', 'late'));
    const result = run({ extraction: EXTRACTION });
    await expect(result).rejects.toMatchObject({ reason: 'PROVIDER_TIMEOUT' });
    expect(extractions).toEqual([]);
  });

  describe('text answers', () => {
    it('retries an empty answer', async () => {
      const { run, calls } = openAssist(' \n', 'Good.');
      expect(await run()).toMatchObject({ content: 'Good.', proofIds: ['pf_again', 'pf_client'] });
      expect(calls).toHaveLength(2);
    });

    it('fails when the retry is empty, too', async () => {
      const { run, calls } = openAssist({ cut: '', reason: 'content_filter' }, '');
      await expect(run()).rejects.toMatchObject(UNUSABLE_ANSWER_ERROR);
      expect(calls).toHaveLength(2);
    });

    it('reports that the answer was cut off', async () => {
      const { run, calls } = openAssist({ cut: 'Good, bu' });
      expect(await run()).toMatchObject({ content: 'Good, bu', finishReason: 'length' });
      expect(calls).toHaveLength(1);
    });
  });

  describe('JSON answers', () => {
    it.each([
      ['unchanged if it is pure JSON', OBJECT, OBJECT],
      ['without its fence', '```json\n{"a": 1}\n```', '{"a":1}'],
      ['repaired', "{'a': 1,}", '{"a":1}'],
      ['without thoughts before it', `<think>{"b":2}</think>${OBJECT}`, OBJECT],
      ['without thoughts that lack an opening tag', `So {"b":2}?</think>${OBJECT}`, OBJECT],
      [
        'with tags in its strings',
        '{"a": "<think> and </think>"}',
        '{"a": "<think> and </think>"}',
      ],
    ])('returns the object %s', async (_name, text, content) => {
      const { run, calls, delivered } = openAssist(text);
      expect(await run({ json: true })).toMatchObject({ content, proofIds: ['pf_client'] });
      expect(calls[0]!.prompt.wantsJson).toBe(true);
      expect(delivered).toEqual([content]);
    });

    it('retries with the error, at temperature 0', async () => {
      const { run, calls, delivered } = openAssist('Sorry, what?', OBJECT);
      expect(await run({ json: true, temperature: 1 })).toMatchObject({
        content: OBJECT,
        usage: { totalTokens: 24 },
        proofIds: ['pf_again', 'pf_client'],
      });
      expect(delivered).toEqual(['', OBJECT]);
      expect(calls).toHaveLength(2);
      const { temperature, turns, wantsJson, isShort } = calls[1]!.prompt;
      expect({ temperature, wantsJson, isShort, roles: turns.map(({ role }) => role) }).toEqual({
        temperature: 0,
        wantsJson: true,
        isShort: true,
        roles: ['user', 'assistant', 'user', 'assistant', 'user'],
      });
      expect(JSON.stringify(turns.slice(-2))).toMatch(/Sorry, what.*held no JSON object/);
    });

    it('rejects a cut-off answer and doubles the limit of the retry', async () => {
      const { run, calls } = openAssist({ cut: '{"a": [1, 2' }, { cut: '{"a": [1, 2, 3' });
      await expect(run({ json: true, maxTokens: 50 })).rejects.toMatchObject(UNUSABLE_ANSWER_ERROR);
      expect(calls.map(({ prompt }) => prompt.maxOutputTokens)).toEqual([50, 100]);
    });

    it.each(['content_filter', 'error', 'tool_calls', ''])(
      'does not repair an incomplete object: %j',
      async (reason) => {
        const { run, calls } = openAssist({ cut: '{"a": [1, 2', reason }, OBJECT);
        expect(await run({ json: true })).toMatchObject({ content: OBJECT });
        expect(calls).toHaveLength(2);
      },
    );

    it('fails when the retry is not an object, without extraction', async () => {
      const { run, calls, delivered, extractions } = openAssist('No.', 'Never.');
      const result = run({ json: true, extraction: EXTRACTION });
      await expect(result).rejects.toMatchObject(UNUSABLE_ANSWER_ERROR);
      expect([calls.length, delivered, extractions]).toEqual([2, ['', ''], []]);
    });

    it('fails with the error of its second call', async () => {
      const fields = { proof: 'pf_failed' };
      const failure = new ServiceError('PROVIDER_UNREACHABLE', '!', { fields });
      const { run } = openAssist('No.', failure);
      await expect(run({ json: true })).rejects.toBe(failure);
    });

    it('fails when the client leaves before the retry', async () => {
      const { run, client } = openAssist('No.', new ServiceError('CANCELLED', 'gone'));
      const result = run({ json: true });
      client.abort();
      await expect(result).rejects.toMatchObject({ reason: 'CANCELLED' });
    });
  });
});
