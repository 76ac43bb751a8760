import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '@witan/contracts';
import { NO_USAGE } from '@witan/dialects';
import { fixedLimits } from '../../test/fixed-limits.ts';
import type { AskModel } from '@witan/dialects';
import type { LimitsOf } from '../completion/model-limits.ts';
import { createFrameQuestion } from './frame-question.ts';

const USAGE = { promptTokens: 10, completionTokens: 5, totalTokens: 15 };
const QUESTION = {
  question: 'Shall we hire?',
  isSensitive: false,
  requestSha256: '00',
  remainingMs: 60_000,
};

const open = (
  response: string | Error | undefined,
  timeoutMs = 1_000,
  limitsOf: LimitsOf = fixedLimits(),
) => {
  const calls: Parameters<AskModel>[0][] = [];
  const failures: string[] = [];
  const askModel: AskModel = async (call, { signal }) => {
    calls.push(call);
    if (response === undefined) {
      return await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    }
    if (typeof response !== 'string') throw response;
    const proofIds = [call.proofId];
    return {
      text: response,
      finishReason: 'stop',
      usage: USAGE,
      model: 'm',
      proofIds,
    };
  };
  const frame = createFrameQuestion({
    askModel,
    limitsOf,
    newId: (prefix) => `${prefix}_${calls.length + 1}`,
    onFailure: (reason) => failures.push(reason),
    timeoutMs,
  });
  const ask = (more: object = {}, workspaceId = 'ws_1', signal = new AbortController().signal) =>
    frame({ ...QUESTION, ...more }, { workspaceId, requestId: 'req_1', signal });
  return { ask, calls, failures };
};

const toResponse = (issues: unknown): string => JSON.stringify({ issues });

describe('createFrameQuestion', () => {
  it('returns up to five distinct propositions with new ids and bounded weights', async () => {
    const { ask } = open(
      toResponse([
        { id: 'A1', proposition: ' We should\nhire. ', weight: 3 },
        { id: 'A1', proposition: 'We should hire.', weight: 1 },
        { proposition: 'We can pay.', weight: 1e9 },
        { proposition: 'It is urgent.', weight: -1 },
        { proposition: 7 },
        null,
        { proposition: 'a\0 \ud800', weight: 'much' },
        { proposition: 'Fifth.', weight: 0.01 },
        { proposition: 'Sixth.' },
      ]),
    );
    expect(await ask()).toEqual({
      issues: [
        { id: 'i1', proposition: 'We should hire.', weight: 3 },
        { id: 'i2', proposition: 'We can pay.', weight: 10 },
        { id: 'i3', proposition: 'It is urgent.', weight: 1 },
        { id: 'i4', proposition: 'a \ufffd', weight: 1 },
        { id: 'i5', proposition: 'Fifth.', weight: 0.1 },
      ],
      usage: USAGE,
      proofIds: ['pf_1'],
    });
  });

  it.each<[string, string | Error | undefined, string, number]>([
    ['that finds no issues', toResponse([]), 'no_issues', 1],
    ['that answers in prose', 'Hire them!', 'no_issues', 1],
    ['that is unavailable', new ServiceError('UNAVAILABLE', 'away'), 'UNAVAILABLE', 0],
    ['that times out', undefined, 'unknown', 0],
  ])(
    'returns the question as the only issue for a model %s',
    async (_what, response, reason, proofs) => {
      const { ask, failures } = open(response, 20);
      const { issues, proofIds } = await ask();
      expect(issues).toEqual([{ id: 'i1', proposition: 'Shall we hire?', weight: 1 }]);
      expect([failures, proofIds.length]).toEqual([[reason], proofs]);
    },
  );

  it('does not split a surrogate pair when it truncates a question', async () => {
    const { ask } = open(new ServiceError('UNAVAILABLE', 'away'));
    const { issues } = await ask({ question: `${'x'.repeat(299)}👍 and more` });
    expect(issues).toEqual([{ id: 'i1', proposition: 'x'.repeat(299), weight: 1 }]);
  });

  it('caches issues per workspace, separately for local-only debates', async () => {
    const { ask, calls } = open(toResponse([{ proposition: 'We should hire.' }]));
    const first = await ask();
    expect(await ask()).toEqual({ issues: first.issues, usage: NO_USAGE, proofIds: [] });
    await ask({}, 'ws_2');
    await ask({ isSensitive: true });
    expect(calls.map(({ address }) => address.sensitive)).toEqual([false, false, true]);
  });

  it('rejects if the caller aborts', async () => {
    const { ask, failures } = open(undefined);
    const controller = new AbortController();
    const pendingFrame = ask({}, 'ws_1', controller.signal);
    controller.abort(new Error('gone'));
    await expect(pendingFrame).rejects.toThrow('gone');
    expect(failures).toEqual([]);
  });

  it('has the time that the tokens of the question need, not its characters', async () => {
    const needs: number[] = [];
    const limitsOf: LimitsOf = async () => ({
      contextTokens: 8_192,
      toTimeoutMs: (hostedMs, { tokens }) => {
        needs.push(tokens);
        return hostedMs;
      },
    });
    const { ask } = open(toResponse([{ proposition: 'We should hire.' }]), 1_000, limitsOf);
    await ask({ question: `${'word '.repeat(640)}?` });
    // 450 generated tokens, and about 800 of the question, of which eight take the time of one.
    expect(Math.round(needs[0]!)).toBe(550);
  });
});
