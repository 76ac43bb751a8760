import { describe, expect, it } from '@jest/globals';
import { addUsage } from '@witan/dialects';
import type { ModelCall } from '@witan/dialects';
import { scriptModel, USAGE } from '../../test/script-model.ts';
import { createAskModel } from './clients/ask-model.ts';
import { withSecondAttempt } from './with-second-attempt.ts';

const CALL: ModelCall = {
  proofId: 'pf_1',
  requestSha256: '00',
  address: { requested: 'service-auto', kind: 'service-auto' },
  prompt: { system: [], turns: [], maxOutputTokens: 300, wantsJson: false, isStreamed: false },
};
const CALLER = { workspaceId: 'ws_1', requestId: 'req_1', signal: new AbortController().signal };
const TOOLS = [{ name: 'look_up', description: '', parameters: '{}' }];

type Scripts = Parameters<typeof scriptModel>;
const EMPTY_ANSWER_SCRIPT: Scripts[number] = { finishReason: 'length', reasoning: 'Hm.' };

const run = (scripts: Scripts, retryFields: Partial<ModelCall> = {}) => {
  const model = scriptModel(...scripts);
  const openCall = withSecondAttempt(model.openCall, (prefix) => `${prefix}_2`);
  return { ...model, answer: createAskModel(openCall)({ ...CALL, ...retryFields }, CALLER) };
};

describe('withSecondAttempt', () => {
  it('repeats a call that was cut off before any text, with a higher limit and little reasoning', async () => {
    const { answer, calls, delivered } = run([EMPTY_ANSWER_SCRIPT, { texts: ['Yes.'] }]);
    expect(await answer).toMatchObject({
      text: 'Yes.',
      finishReason: 'stop',
      usage: addUsage(USAGE, USAGE),
      proofIds: ['pf_2', 'pf_1'],
    });
    const { prompt } = CALL;
    const repeatedPrompt = { ...prompt, maxOutputTokens: 16_000, isShort: true };
    expect(calls).toEqual([CALL, { ...CALL, proofId: 'pf_2', prompt: repeatedPrompt }]);
    expect(delivered).toEqual(['', 'Yes.']);
  });

  it('fails when the second answer is cut off, too', async () => {
    const { answer, calls, delivered } = run([
      EMPTY_ANSWER_SCRIPT,
      { ...EMPTY_ANSWER_SCRIPT, texts: [' '] },
    ]);
    await expect(answer).rejects.toMatchObject({
      reason: 'PROVIDER_INVALID_ANSWER',
      fields: { proof: 'pf_2' },
    });
    expect([calls.length, delivered]).toEqual([2, ['', '']]);
  });

  it.each<[string, Scripts[number]]>([
    ['has text', { texts: ['Ye'], finishReason: 'length' }],
    ['requests a tool', { toolCalls: [{ id: 'c1', name: 'f', arguments: '' }] }],
    ['was ended by the model', { finishReason: 'stop' }],
    ['was ended by a filter', { finishReason: 'content_filter' }],
  ])('does not repeat a call whose answer %s', async (_name, script) => {
    const { answer, calls } = run([script]);
    expect(await answer).toMatchObject({ usage: USAGE, proofIds: ['pf_1'] });
    expect(calls).toHaveLength(1);
  });

  it('does not repeat a call when checkRepeat rejects', async () => {
    const error = new Error('Another process has the lease.');
    const { answer, calls, delivered } = run([EMPTY_ANSWER_SCRIPT], {
      checkRepeat: () => Promise.reject(error),
    });
    await expect(answer).rejects.toBe(error);
    expect([calls, delivered]).toEqual([[CALL], ['']]);
  });

  it('offers no tools in the second call', async () => {
    const prompt = { ...CALL.prompt, tools: TOOLS };
    const retryFields = { proofId: 'pf_1t1', answerProofId: 'pf_1', prompt };
    const { answer, calls } = run([EMPTY_ANSWER_SCRIPT, { texts: ['Yes.'] }], retryFields);
    expect(await answer).toMatchObject({ proofIds: ['pf_2', 'pf_1'] });
    expect(calls[1]).not.toHaveProperty('answerProofId');
    expect(calls[1]!.prompt).not.toHaveProperty('tools');
  });
});
