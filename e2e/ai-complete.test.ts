import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { commitAnswer, commitmentText } from '@witan/proof';
import { answerWith, failWith, neverAnswer } from '@witan/testing';
import type { ChatAnswer, RecordedRequest, Script } from '@witan/testing';
import { hash } from 'node:crypto';
import { expectNativeRefusal } from './expect-refusal.ts';
import type { Answer } from './http-client.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const COMPLETE_PATH = '/v1/ai/complete';
const FACTS_PATH = '/v1/ai/extracted-data';
/**
 * Short, so that the test in which fact extraction hangs ends before the extraction's timeout of 30
 * s.
 */
const COMPLETION_TIMEOUT_MS = 1_500;
const MODELS = {
  WITAN_MODEL_FULL: 'gpt-full',
  WITAN_MODEL_CHEAP: 'gpt-cheap',
  WITAN_MODEL_SMALL: 'gpt-small',
};

const BODY = {
  systemPrompt: 'You advise a bakery.',
  messages: [{ role: 'user', content: 'We are 12 people in Oslo.' }],
};
const SUPPLEMENTARY = [
  { category: 'notes', data: 'Flour is  dear.\n\tVery "dear" – 30 %.', priority: 'low' },
  { category: 'kpis', data: { margin: 0.3, shops: ['Grønland', 'Løren'] } },
  { category: 'warning', label: 'Strict\nrules', data: 'No debt.', priority: 'high' },
];
const SUPPLEMENTARY_BLOCK = `--- SUPPLEMENTARY CONTEXT ---
[STRICT RULES] (high priority)
No debt.

[KPIS]
{
  "margin": 0.3,
  "shops": [
    "Grønland",
    "Løren"
  ]
}

[NOTES]
Flour is  dear.
\tVery "dear" – 30 %.
--- END SUPPLEMENTARY CONTEXT ---`;
const EXTRACTION = { source: 'crm', categories: ['company'] };
const FACT = { category: 'company', key: 'employees', value: '12', confidence: 0.9 };
const USAGE = { promptTokens: 3, completionTokens: 1, totalTokens: 4 };
const FINISH_STOP = { finishReason: 'stop' };
const USAGE_OF_TWO_CALLS = { promptTokens: 6, completionTokens: 2, totalTokens: 8 };

type CompletionBody = { content: string; usage: object; extracted: object[] };
type SentBody = {
  model: string;
  messages: { role: string; content: string }[];
  response_format?: object;
};

const answerWithFacts = (...facts: object[]): Script =>
  answerWith({ content: JSON.stringify({ facts }) });

const commitContent = (content: string): string =>
  commitAnswer([{ index: 0, content, toolCalls: [] }]);

describe.each(TRANSPORTS)('native completions, services over %s', (transport) => {
  let fixture: Fixture;

  beforeAll(async () => {
    const env = { ...MODELS, WITAN_COMPLETION_TIMEOUT_MS: `${COMPLETION_TIMEOUT_MS}` };
    fixture = await openFixture({ transport, env });
  });
  afterAll(async () => fixture[Symbol.asyncDispose]());

  const complete = async (
    body: object,
    ...scripts: Script[]
  ): Promise<{ answer: Answer; completion: CompletionBody; calls: RecordedRequest[] }> => {
    for (const script of scripts) fixture.provider.script(script);
    const before = fixture.calls().length;
    const answer = await fixture.client.send(COMPLETE_PATH, { body: { ...BODY, ...body } });
    const calls = fixture.calls().slice(before);
    return { answer, completion: answer.json as CompletionBody, calls };
  };
  /** Scripts two unusable outputs, for the call and its retry, and expects 502 `provider_error`. */
  const expectUnusable = async (body: object, output: ChatAnswer): Promise<void> => {
    const { answer, calls } = await complete(body, answerWith(output), answerWith(output));
    const { code } = (answer.json as { error: { code: string } }).error;
    expect([answer.status, code, calls.length]).toEqual([502, 'provider_error', 2]);
  };
  const listFacts = async (query: string): Promise<{ data: object[]; count: number }> =>
    (await fixture.client.send(`${FACTS_PATH}?${query}`)).json as { data: object[]; count: number };

  it('place the data block unchanged after the system prompt', async () => {
    const { answer, completion, calls } = await complete({ supplementary: SUPPLEMENTARY });
    expect(completion).toEqual({ content: 'pong', ...FINISH_STOP, usage: USAGE, extracted: [] });
    expect(calls).toHaveLength(1);
    const { body, parsed } = calls[0]!;
    const system = `${BODY.systemPrompt}\n\n${SUPPLEMENTARY_BLOCK}`;
    expect(body.toString()).toBe(
      JSON.stringify({
        model: (parsed as SentBody).model,
        messages: [{ role: 'system', content: system }, ...BODY.messages],
      }),
    );
    const { payload } = await fixture.client.certificateOf(answer);
    expect(payload.egress.sha256).toBe(hash('sha256', body, 'hex'));
  });

  it('certify request, response and model', async () => {
    const { answer } = await complete({}, answerWith({ content: 'Hire.' }));
    const certificate = await fixture.client.certificateOf(answer);
    const requestHash = hash('sha256', commitmentText(BODY), 'hex');
    expect(certificate.payload).toMatchObject({
      request: { model: 'service-auto', sha256: requestHash },
      address: { kind: 'service-auto' },
      egress: { model: 'gpt-cheap' },
      response: { sha256: commitContent('Hire.') },
      routing: { taskType: 'chat', reason: 'simple' },
    });
    expect(certificate.payload).not.toHaveProperty('grounding');
  });

  it('use the full model for tasks that need it', async () => {
    const messages = [{ role: 'user', content: 'Analyze the trade-offs of our strategy.' }];
    const { calls } = await complete({ messages });
    expect(calls[0]!.parsed).toMatchObject({ model: 'gpt-full' });
  });

  it('pass on earlier assistant messages and system messages in between', async () => {
    const { calls } = await complete({
      temperature: 0,
      max_tokens: 9,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b' },
        { role: 'user', content: 'c' },
      ],
    });
    expect(calls[0]!.parsed).toMatchObject({
      temperature: 0,
      max_completion_tokens: 9,
      messages: [
        { role: 'system', content: `${BODY.systemPrompt}\n\nBe brief.` },
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b' },
        { role: 'user', content: 'c' },
      ],
    });
  });

  describe('with JSON output', () => {
    it('request an object and return it unchanged', async () => {
      const content = '{ "a": [1] }';
      const { completion, calls } = await complete({ json: true }, answerWith({ content }));
      expect(completion.content).toBe(content);
      const { response_format: format, messages } = calls[0]!.parsed as SentBody;
      expect(format).toEqual({ type: 'json_object' });
      expect(messages[0]!.content).toContain('one JSON object');
    });

    it('repair it and certify what the client received', async () => {
      const content = "Here: {'a': 1,}";
      const { answer, completion } = await complete({ json: true }, answerWith({ content }));
      expect(completion.content).toBe('{"a":1}');
      const { payload } = await fixture.client.certificateOf(answer);
      expect(payload.response.sha256).toBe(commitContent('{"a":1}'));
    });

    it('retry once if the output is not JSON, and certify both calls', async () => {
      const { answer, completion, calls } = await complete(
        { json: true },
        answerWith({ content: 'Sure, here you are.' }),
        answerWith({ content: '{"a":1}' }),
      );
      expect(completion).toEqual({
        content: '{"a":1}',
        ...FINISH_STOP,
        usage: USAGE_OF_TWO_CALLS,
        extracted: [],
      });
      expect(calls[1]!.parsed).toMatchObject({ temperature: 0 });
      const proofIds = answer.headers.get('x-service-proofs')!.split(', ');
      expect(proofIds).toHaveLength(2);
      expect(answer.headers.get('x-service-proof')).toBe(proofIds[0]);
      const { payload } = await fixture.client.certificateOf(answer);
      expect(payload.response.sha256).toBe(commitContent('{"a":1}'));
    });

    it('fail if no output is JSON, and certify both calls', async () => {
      await expectUnusable({ json: true }, { content: 'Sure.' });
    });
  });

  it('fail if the model returns no text, even after a retry with a higher limit', async () => {
    await expectUnusable({ max_tokens: 50 }, { content: '', finishReason: 'length' });
  });

  it('report that the output was cut off', async () => {
    const truncatedAnswer = answerWith({ content: 'We ar', finishReason: 'length' });
    const { completion } = await complete({}, truncatedAnswer);
    expect(completion).toMatchObject({ content: 'We ar', finishReason: 'length' });
  });

  describe('with extracted facts', () => {
    it('return them beside the answer and store them on request', async () => {
      const source = 'kept';
      const extraction = { ...EXTRACTION, source, persist: true };
      const messages = [
        ...BODY.messages,
        { role: 'assistant', content: 'A secret of the assistant.' },
        { role: 'user', content: 'And we grow.' },
      ];
      const { answer, completion, calls } = await complete(
        { extraction, messages },
        answerWith(),
        answerWithFacts(FACT, { ...FACT, category: 'weather' }),
      );
      expect(completion).toEqual({
        content: 'pong',
        ...FINISH_STOP,
        usage: USAGE_OF_TWO_CALLS,
        extracted: [FACT],
      });
      const extractionBody = calls[1]!.body.toString();
      expect(extractionBody).toContain('12 people in Oslo');
      expect(extractionBody).toContain('And we grow.');
      expect(extractionBody).not.toContain('secret');
      expect(calls[1]!.parsed).toMatchObject({ model: 'gpt-small', temperature: 0 });
      const { data, count } = await listFacts(`source=${source}`);
      const createdAt = expect.any(String);
      expect([count, data]).toEqual([
        1,
        [{ id: expect.stringMatching(/^fct_/), source, ...FACT, createdAt }],
      ]);
      const proofIds = answer.headers.get('x-service-proofs')!.split(', ');
      expect(proofIds).toEqual([answer.headers.get('x-service-proof'), expect.any(String)]);
      const extractionProof = await fixture.client.send(`/v1/proofs/${proofIds[1]}`);
      expect(extractionProof.json).toMatchObject({
        payload: {
          request: { sha256: (await fixture.client.certificateOf(answer)).payload.request.sha256 },
          routing: { taskType: 'extraction' },
        },
      });
    });

    it('update a fact instead of duplicating it', async () => {
      const extraction = { ...EXTRACTION, source: 'twice', persist: true };
      const changedFact = { ...FACT, value: '13', confidence: 1 };
      await complete({ extraction }, answerWith(), answerWithFacts(FACT));
      const before = await listFacts('source=twice');
      await complete({ extraction }, answerWith(), answerWithFacts(changedFact));
      const after = await listFacts('source=twice');
      expect(after.data).toEqual([{ ...before.data[0], ...changedFact }]);
    });

    it('store no fact unless requested', async () => {
      const extraction = { ...EXTRACTION, source: 'forgotten' };
      const { completion } = await complete({ extraction }, answerWith(), answerWithFacts(FACT));
      expect(completion.extracted).toEqual([FACT]);
      expect(await listFacts('source=forgotten')).toEqual({ data: [], count: 0 });
    });

    it.each([
      ['fails', failWith(500)],
      ['is refused', failWith(400)],
      ['returns no JSON', answerWith({ content: 'Facts? In Oslo?' })],
      ['is cut off', answerWith({ content: '{"facts":[{"category"', finishReason: 'length' })],
      ['hangs', neverAnswer()],
    ])('return the answer unchanged when fact extraction %s', async (_name, script) => {
      const extraction = { ...EXTRACTION, persist: true };
      const linesBefore = fixture.system.logLines.length;
      const { answer, completion } = await complete({ extraction }, answerWith(), script);
      expect([answer.status, completion.content, completion.extracted]).toEqual([200, 'pong', []]);
      const warnings = fixture.system.logLines
        .slice(linesBefore)
        .filter((text) => text.includes('"fact_extraction_failed"'));
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).not.toMatch(/Oslo|people|Scripted/);
      expect(await listFacts('source=crm')).toEqual({ data: [], count: 0 });
    });
  });

  describe('refuse before any provider call', () => {
    const code = 'invalid_request';
    it.each<[string, object]>([
      ['no message of the user', { messages: [{ role: 'system', content: 'x' }] }],
      ['an assistant that speaks first', { messages: [{ role: 'assistant', content: 'x' }] }],
    ])('%s', async (_name, body) => {
      const { answer, calls } = await complete(body);
      expectNativeRefusal(answer, { status: 400, code, param: 'messages' });
      expect(calls).toEqual([]);
    });

    it('a prompt that exceeds every context window', async () => {
      const messages = Array.from({ length: 20 }, () => ({
        role: 'user',
        content: 'word '.repeat(6_000),
      }));
      const { answer, calls } = await complete({ messages });
      expect(answer.status).toBe(413);
      expect(calls).toEqual([]);
    });
  });

  it('write no content to the logs', () => {
    expect(fixture.system.logLines.join('\n')).not.toMatch(/bakery|Oslo|No debt|Grønland/);
  });
});
