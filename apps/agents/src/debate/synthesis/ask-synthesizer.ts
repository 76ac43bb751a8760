import { OFFLINE_MODEL, toGeneratedTokens } from '@witan/contracts';
import { isCutOff, readJsonAnswer, toTextTurn, collectAnswer } from '@witan/dialects';
import type { Caller, ModelCall, OpenCall } from '@witan/dialects';
import { takeLeadingThoughts } from '../../completion/thoughts/take-leading-thoughts.ts';
import type { LimitsOf } from '../../completion/model-limits.ts';
import { estimateTokens } from '../../prompt/estimate-tokens.ts';
import type { AskForSynthesis } from './synthesize.ts';

export type AskSynthesizer = (
  debate: { isSensitive: boolean; requestSha256: string; startedAt: Date },
  caller: Caller,
) => AskForSynthesis;

export type AskSynthesizerDeps = {
  openCall: OpenCall;
  newId: (prefix: string) => string;
  limitsOf: LimitsOf;
  clock: () => Date;
  timeoutMs?: number;
};

/**
 * The timeout is short, because a debate that is already paid for waits for the synthesis, and a
 * template can replace the model's text.
 */
const TIMEOUT_MS = 60_000;
const OUTPUT_TOKENS_MAX = 2_000;
const TEMPERATURE = 0.3;
const SCHEMA = {
  type: 'object',
  properties: {
    content: { type: 'string', maxLength: 1_800 },
    openQuestions: { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 300 } },
  },
  required: ['content', 'openQuestions'],
};

/**
 * Returns a function that asks for a synthesis from the model that `service-auto` selects. The
 * certificate of each call commits to the text that `toContent` returns.
 */
export const createAskSynthesizer =
  ({
    openCall,
    newId,
    limitsOf,
    clock,
    timeoutMs: hostedMs = TIMEOUT_MS,
  }: AskSynthesizerDeps): AskSynthesizer =>
  ({ isSensitive, requestSha256, startedAt }, caller) =>
  async ({ system, question, table, problem, toContent }) => {
    const call: ModelCall = {
      proofId: newId('pf'),
      requestSha256,
      purpose: 'debate',
      address: { requested: 'service-auto', kind: 'service-auto', sensitive: isSensitive },
      prompt: {
        system: [system],
        turns: [
          toTextTurn('user', question),
          toTextTurn('user', problem === undefined ? table : `${table}\n\n${problem}`),
        ],
        temperature: problem === undefined ? TEMPERATURE : 0,
        maxOutputTokens: OUTPUT_TOKENS_MAX,
        isShort: problem !== undefined,
        wantsJson: SCHEMA,
        isStreamed: false,
      },
    };
    const { toTimeoutMs } = await limitsOf(call, caller);
    const tokens = toGeneratedTokens(estimateTokens(system + question + table), OUTPUT_TOKENS_MAX);
    const spentMs = clock().getTime() - startedAt.getTime();
    const limit = AbortSignal.timeout(toTimeoutMs(hostedMs, { tokens, spentMs }));
    const signal = AbortSignal.any([caller.signal, limit]);
    const read = (
      raw: string,
      { finishReason, model }: { finishReason: string; model: string },
    ) => {
      const { rest } = takeLeadingThoughts(raw);
      const answer = readJsonAnswer(rest, { isCut: isCutOff(finishReason), schema: SCHEMA });
      const object = 'object' in answer ? answer.object : undefined;
      const isOffline = model === OFFLINE_MODEL;
      return { content: toContent(object, isOffline), value: { object, isOffline } };
    };
    const { value, usage, proofIds } = await collectAnswer(
      call,
      { ...caller, signal },
      { openCall, read },
    );
    return { ...value, usage, proofIds };
  };
