import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '@witan/contracts';
import type { Extraction } from '../fact/extract-facts.ts';
import type { Caller, ModelCall, OpenCall } from '../model/model-call.ts';
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
const OPENED = { provider: 'openai', model: 'gpt', providerMs: 1, droppedParams: ['top_k'] };
const OBJECT = '{"a": 1}';

const UNUSABLE = { reason: 'PROVIDER_INVALID_ANSWER', fields: { proof: 'pf_again' } };

type Answer = string | { cut: string; reason?: string } | Error;

const openLayer = (...answers: Answer[]) => {
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
      extractFacts: async (wanted) => {
        extractions.push(wanted);
        return { facts: [FACT], usage: USAGE, proofIds: ['pf_facts'] };
      },
      contextTokens: 10_000,
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
  yield { kind: 'opened' as const, ...OPENED, proofId };
  yield { kind: 'reasoning' as const, text: 'Hm.' };
  yield { kind: 'text' as const, text: text.slice(0, 3) };
  yield { kind: 'text' as const, text: text.slice(3) };
  yield { kind: 'ending' as const, finishReason, usage: USAGE, proofId };
}

describe('assist', () => {
  it("answers by one call with the client's own certificate, and extracts nothing unasked", async () => {
    const { run, calls, delivered, extractions } = openLayer('Good.');
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

  it("extracts from the user's messages alone, and counts what that took", async () => {
    const { run, extractions } = openLayer('Good.');
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
  ])('refuses an unfit %s before anybody is asked', async (name, extraction) => {
    const { run, calls } = openLayer('Good.');
    const fields = { param: `extraction.${name}` };
    await expect(run({ extraction })).rejects.toMatchObject({ reason: 'INVALID_REQUEST', fields });
    expect(calls).toEqual([]);
  });

  it('asks nobody when the prompt does not fit', async () => {
    const { run, calls } = openLayer('Good.');
    const asking = run({ systemPrompt: 'word '.repeat(20_000) });
    await expect(asking).rejects.toMatchObject({ reason: 'REQUEST_TOO_LARGE' });
    expect(calls).toEqual([]);
  });

  it('fails as its call fails, and extracts nothing then', async () => {
    const { run, extractions } = openLayer(new ServiceError('PROVIDER_TIMEOUT', 'late'));
    const asking = run({ extraction: EXTRACTION });
    await expect(asking).rejects.toMatchObject({ reason: 'PROVIDER_TIMEOUT' });
    expect(extractions).toEqual([]);
  });

  describe('of text', () => {
    it('asks once more for an answer that has no text', async () => {
      const { run, calls } = openLayer(' \n', 'Good.');
      expect(await run()).toMatchObject({ content: 'Good.', proofIds: ['pf_again', 'pf_client'] });
      expect(calls).toHaveLength(2);
    });

    it('fails when no answer has any', async () => {
      const { run, calls } = openLayer({ cut: '', reason: 'content_filter' }, '');
      await expect(run()).rejects.toMatchObject(UNUSABLE);
      expect(calls).toHaveLength(2);
    });

    it('says that its answer was cut off', async () => {
      const { run, calls } = openLayer({ cut: 'Good, bu' });
      expect(await run()).toMatchObject({ content: 'Good, bu', finishReason: 'length' });
      expect(calls).toHaveLength(1);
    });
  });

  describe('of JSON', () => {
    it.each([
      ['as it came when it is whole', OBJECT, OBJECT],
      ['without its fence', '```json\n{"a": 1}\n```', '{"a":1}'],
      ['repaired', "{'a': 1,}", '{"a":1}'],
      ['without thoughts before it', `<think>{"b":2}</think>${OBJECT}`, OBJECT],
      ['without thoughts that were never opened', `So {"b":2}?</think>${OBJECT}`, OBJECT],
      ['with tags in its texts', '{"a": "<think> and </think>"}', '{"a": "<think> and </think>"}'],
    ])('gives the object, %s', async (_name, text, content) => {
      const { run, calls, delivered } = openLayer(text);
      expect(await run({ json: true })).toMatchObject({ content, proofIds: ['pf_client'] });
      expect(calls[0]!.prompt.wantsJson).toBe(true);
      expect(delivered).toEqual([content]);
    });

    it('asks once more with what was wrong, at temperature 0', async () => {
      const { run, calls, delivered } = openLayer('Sorry, what?', OBJECT);
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

    it('never lets an answer that was cut off pass for whole, and gives the next one room', async () => {
      const { run, calls } = openLayer({ cut: '{"a": [1, 2' }, { cut: '{"a": [1, 2, 3' });
      await expect(run({ json: true, maxTokens: 50 })).rejects.toMatchObject(UNUSABLE);
      expect(calls.map(({ prompt }) => prompt.maxOutputTokens)).toEqual([50, 100]);
    });

    it.each(['content_filter', 'error', 'tool_calls', ''])(
      'never closes an object that the model did not end itself: %j',
      async (reason) => {
        const { run, calls } = openLayer({ cut: '{"a": [1, 2', reason }, OBJECT);
        expect(await run({ json: true })).toMatchObject({ content: OBJECT });
        expect(calls).toHaveLength(2);
      },
    );

    it('fails when no answer becomes an object, and extracts nothing then', async () => {
      const { run, calls, delivered, extractions } = openLayer('No.', 'Never.');
      const asking = run({ json: true, extraction: EXTRACTION });
      await expect(asking).rejects.toMatchObject(UNUSABLE);
      expect([calls.length, delivered, extractions]).toEqual([2, ['', ''], []]);
    });

    it('fails as its second call fails', async () => {
      const fields = { proof: 'pf_failed' };
      const failure = new ServiceError('PROVIDER_UNREACHABLE', '!', { fields });
      const { run } = openLayer('No.', failure);
      await expect(run({ json: true })).rejects.toBe(failure);
    });

    it('fails when its client left in between', async () => {
      const { run, client } = openLayer('No.', new ServiceError('CANCELLED', 'gone'));
      const asking = run({ json: true });
      client.abort();
      await expect(asking).rejects.toMatchObject({ reason: 'CANCELLED' });
    });
  });
});
