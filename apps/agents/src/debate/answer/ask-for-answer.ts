import { addUsage, collectAnswer, isCutOff } from '@witan/dialects';
import type { Caller, ModelCall, OpenCall, TokenUsage } from '@witan/dialects';
import { toRetryPrompt } from '../../completion/to-retry-prompt.ts';
import { takeLeadingThoughts } from '../../completion/thoughts/take-leading-thoughts.ts';
import { LeaseLostError } from '../record/debate-store.ts';
import { openContentReader } from './open-content-reader.ts';
import { isEmptyAnswer, readAnswer } from './read-answer.ts';
import type { AnswerForm, AnswerBody } from './read-answer.ts';

export type ReceivedAnswer = {
  answer: AnswerBody;
  finishReason: string;
  proofIds: string[];
  usage: TokenUsage;
  promptTokens: number;
};

export type AskForAnswerDeps = {
  openCall: OpenCall;
  newId: (prefix: string) => string;
  checkLease: () => Promise<void>;
  onDelta: (text: string) => void;
};

/** Thrown if an agent's answer has neither text nor lever values, even after the retry. */
export class EmptyAnswerError extends Error {
  constructor() {
    super('The model gave no answer that can be read.');
    this.name = 'EmptyAnswerError';
  }
}

/**
 * Asks an agent for its answer. Retries an unreadable or incomplete answer once at temperature 0,
 * with a description of the problem. If the retry fails or has a problem, too, the first answer is
 * used, unless it is empty; an aborted call and a lost lease reject instead. Rejects with
 * `EmptyAnswerError` if both answers are empty. The certificate of each call commits to the parsed
 * content.
 */
export const askForAnswer = async (
  call: ModelCall,
  form: AnswerForm,
  caller: Caller,
  deps: AskForAnswerDeps,
): Promise<ReceivedAnswer> => {
  const first = await attempt(call, form, caller, deps);
  if (first.problem === undefined) return first;
  const repairCall = {
    ...call,
    proofId: deps.newId('pf'),
    prompt: toRetryPrompt(call.prompt, {
      raw: first.raw,
      instruction: describeRepair(first.problem),
      isCut: isCutOff(first.finishReason),
    }),
  };
  let second: AttemptResult;
  try {
    second = await attempt(repairCall, form, caller, { ...deps, onDelta: () => {} });
  } catch (error) {
    const mustStop = caller.signal.aborted || error instanceof LeaseLostError;
    if (mustStop || isEmptyAnswer(first.answer)) throw error;
    return first;
  }
  const { answer, finishReason } = chooseAnswer(first, second);
  if (isEmptyAnswer(answer)) throw new EmptyAnswerError();
  return {
    answer,
    finishReason,
    proofIds: [...first.proofIds, ...second.proofIds],
    usage: addUsage(first.usage, second.usage),
    promptTokens: first.promptTokens,
  };
};

type AttemptResult = ReceivedAnswer & { raw: string; problem: string | undefined };

const attempt = async (
  call: ModelCall,
  form: AnswerForm,
  caller: Caller,
  { openCall, checkLease, onDelta }: AskForAnswerDeps,
): Promise<AttemptResult> => {
  // Checked immediately before the call: a process that was paused past the end of its lease must
  // not pay for a call that the new lease holder makes, too.
  await checkLease();
  const content = openContentReader(onDelta);
  const read = (raw: string, received: { finishReason: string }) => {
    const isCut = isCutOff(received.finishReason);
    const schema = call.prompt.wantsJson;
    const value = readAnswer(takeLeadingThoughts(raw).rest, { isCut, form, schema });
    return { content: value.answer.content, value };
  };
  const deps = { openCall, read, onText: content.push };
  const result = await collectAnswer({ ...call, checkRepeat: checkLease }, caller, deps);
  const { value, raw, finishReason, usage, proofIds, promptTokens } = result;
  return { ...value, raw, finishReason, usage, proofIds, promptTokens };
};

const chooseAnswer = (first: AttemptResult, second: AttemptResult): AttemptResult =>
  second.problem === undefined || isEmptyAnswer(first.answer) ? second : first;

const describeRepair = (problem: string): string =>
  `Your last answer could not be used: ${problem}. Answer again with the whole JSON object and ` +
  'nothing else: no text around it, no code fence.';
