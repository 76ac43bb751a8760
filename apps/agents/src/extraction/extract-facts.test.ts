import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '@witan/contracts';
import type { AskModel, ModelAnswer, ModelCall } from '@witan/dialects';
import { fixedLimits } from '../../test/fixed-limits.ts';
import { FACTS_SCHEMA } from './to-extraction-prompt.ts';
import { createExtractFacts } from './extract-facts.ts';
import type { Extraction, ExtractFactsDeps, ExtractionFailure } from './extract-facts.ts';
import type { FactBatch } from './facts.ts';

const SECRET = 'Acme has 120 employees';
const USAGE = { promptTokens: 50, completionTokens: 20, totalTokens: 70 };
const FACT = { category: 'company', key: 'employees', value: '120', confidence: 0.9 };
const ANSWER: ModelAnswer = {
  text: JSON.stringify({ facts: [FACT, { ...FACT, category: 'weather' }] }),
  finishReason: 'stop',
  usage: USAGE,
  model: 'small',
  proofIds: ['pf_1'],
};
const EXTRACTION: Extraction = {
  texts: [SECRET],
  source: 'crm',
  categories: ['company'],
  persist: true,
  requestSha256: 'ab'.repeat(32),
};
const NO_USAGE = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };

const answering =
  (more: Partial<ModelAnswer> = {}): AskModel =>
  async (call) => ({ ...ANSWER, proofIds: [call.proofId], ...more });

const failing =
  (error: unknown): AskModel =>
  async () => {
    throw error;
  };

const openExtractor = (askModel: AskModel, more: Partial<ExtractFactsDeps> = {}) => {
  const calls: ModelCall[] = [];
  const saved: FactBatch[] = [];
  const failures: ExtractionFailure[] = [];
  let ids = 0;
  const extractFacts = createExtractFacts({
    askModel: (call, caller) => {
      calls.push(call);
      return askModel(call, caller);
    },
    limitsOf: fixedLimits(),
    store: { upsert: async (_workspaceId, batch) => void saved.push(batch) },
    newId: (prefix) => `${prefix}_${(ids += 1)}`,
    onFailure: (failure) => void failures.push(failure),
    ...more,
  });
  const client = new AbortController();
  const caller = { workspaceId: 'ws_1', requestId: 'req_1', signal: client.signal };
  const run = (extraction: Partial<Extraction> = {}) =>
    extractFacts({ ...EXTRACTION, ...extraction }, caller);
  return { run, calls, saved, failures, client };
};

describe('extractFacts', () => {
  it('calls the small model once and stores the facts of requested categories', async () => {
    const { run, calls, saved, failures } = openExtractor(answering());
    expect(await run()).toEqual({ facts: [FACT], usage: USAGE, proofIds: ['pf_1'] });
    expect(saved).toEqual([{ source: 'crm', drafts: [{ ...FACT, id: 'fct_2' }] }]);
    expect(failures).toEqual([]);
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({
      purpose: 'extraction',
      address: { kind: 'service-auto', sensitive: false },
      requestSha256: EXTRACTION.requestSha256,
      prompt: { temperature: 0, wantsJson: FACTS_SCHEMA, isStreamed: false },
    });
    expect(JSON.stringify(calls[0]!.prompt.turns)).toContain(SECRET);
    expect(calls[0]!.prompt.system.join()).toContain('"company"');
  });

  it('stores facts of any category when none is requested, with their agent', async () => {
    const { run, saved } = openExtractor(answering());
    const { facts } = await run({ categories: undefined, agentId: 'agt_1' });
    expect(facts.map(({ category }) => category)).toEqual(['company', 'weather']);
    expect(saved[0]).toMatchObject({ agentId: 'agt_1' });
  });

  it('stores nothing if storing is not requested', async () => {
    const { run, saved } = openExtractor(answering());
    expect((await run({ persist: false })).facts).toEqual([FACT]);
    expect(saved).toEqual([]);
  });

  it('marks the call for sensitive texts as sensitive', async () => {
    const { run, calls } = openExtractor(answering());
    await run({ isSensitive: true });
    expect(calls[0]!.address).toMatchObject({ sensitive: true });
  });

  it.each(['<think>', ''])('skips the thoughts of a local model: %j', async (opening) => {
    const { run } = openExtractor(
      answering({ text: `${opening}{"facts":[]}?</think>${ANSWER.text}` }),
    );
    expect((await run()).facts).toEqual([FACT]);
  });

  it('makes no call when there is no text', async () => {
    const { run, calls } = openExtractor(answering());
    expect(await run({ texts: ['', ' '] })).toEqual({ facts: [], usage: NO_USAGE, proofIds: [] });
    expect(calls).toEqual([]);
  });

  const proof = { proof: 'pf_sealed' };
  it.each<[string, AskModel, Partial<ExtractionFailure>, object]>([
    [
      'the provider fails with a certificate',
      failing(new ServiceError('PROVIDER_UNREACHABLE', SECRET, { fields: proof })),
      { step: 'call', reason: 'PROVIDER_UNREACHABLE', proofIds: ['pf_sealed'] },
      { usage: NO_USAGE, proofIds: ['pf_sealed'] },
    ],
    [
      'the call throws',
      failing(new TypeError(SECRET)),
      { step: 'call', reason: 'TypeError', proofIds: [] },
      { usage: NO_USAGE, proofIds: [] },
    ],
    [
      'the answer is invalid',
      answering({ text: SECRET }),
      { step: 'answer', reason: 'no-object', proofIds: ['pf_1'] },
      { usage: USAGE, proofIds: ['pf_1'] },
    ],
    [
      'the answer was cut off by a filter',
      answering({ text: ANSWER.text.slice(0, -2), finishReason: 'content_filter' }),
      { step: 'answer', reason: 'cut-off', proofIds: ['pf_1'] },
      { usage: USAGE, proofIds: ['pf_1'] },
    ],
    [
      'the answer was cut off',
      answering({ text: '{"facts":[{"category":"company"', finishReason: 'length' }),
      { step: 'answer', reason: 'cut-off', proofIds: ['pf_1'] },
      { usage: USAGE, proofIds: ['pf_1'] },
    ],
  ])('reports a reason without content when %s', async (_name, ...given) => {
    const [askModel, failure, expectedCost] = given;
    const { run, saved, failures } = openExtractor(askModel);
    expect(await run()).toEqual({ facts: [], ...expectedCost });
    expect(saved).toEqual([]);
    expect(failures).toEqual([{ workspaceId: 'ws_1', requestId: 'req_1', ...failure }]);
    expect(JSON.stringify(failures)).not.toContain('Acme');
  });

  it('returns no facts when storing fails', async () => {
    const upsert = async (): Promise<void> => {
      throw new Error(`insert into fact values (${SECRET})`);
    };
    const { run, failures } = openExtractor(answering(), { store: { upsert } });
    expect(await run()).toEqual({ facts: [], usage: USAGE, proofIds: ['pf_1'] });
    expect(failures).toEqual([expect.objectContaining({ step: 'storage', reason: 'Error' })]);
  });

  const neverAnswering: AskModel = (_call, { signal }) =>
    new Promise((_resolve, reject) => {
      const onAbort = (): void => reject(signal.reason as Error);
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort);
    });

  it('stops at its timeout', async () => {
    const { run, failures } = openExtractor(neverAnswering, { timeoutMs: 1 });
    expect((await run()).facts).toEqual([]);
    expect(failures).toEqual([expect.objectContaining({ reason: 'TimeoutError' })]);
  });

  it('reports no failure when the client has left', async () => {
    const { run, failures, client } = openExtractor(neverAnswering);
    const extracting = run();
    client.abort();
    expect((await extracting).facts).toEqual([]);
    expect(failures).toEqual([]);
  });
});
