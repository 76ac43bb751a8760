import { addUsage, collectAnswer, isCutOff } from '@witan/dialects';
import type { Caller, ModelCall, OpenCall, TokenUsage } from '@witan/dialects';
import { toRetryPrompt } from '../../completion/to-retry-prompt.ts';
import { takeLeadingThoughts } from '../../completion/thoughts/take-leading-thoughts.ts';
import { LeaseLostError } from '../record/debate-store.ts';
import { inQuotes } from '../synthesis/resolve-marks.ts';
import { findContradiction } from './find-contradiction.ts';
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
export class UnusableAnswerError extends Error {
  /** Why the answer could not be used, such as "empty answer", for the message of the debate. */
  readonly problem: string;
  constructor(problem: string) {
    super(`The model gave no answer that can be used: ${problem}.`);
    this.name = 'UnusableAnswerError';
    this.problem = problem;
  }
}

/**
 * Asks an agent for its answer. Retries an unreadable or incomplete answer, and one whose text
 * contradicts its stance on the decision, once at temperature 0 with a description of the problem.
 * If the retry fails or cannot be read, the first answer is used, unless it is empty; an aborted
 * call and a lost lease reject instead. Rejects with `UnusableAnswerError` if both answers are
 * empty. The certificate of each call commits to the parsed content.
 */
export const askForAnswer = async (
  call: ModelCall,
  form: AnswerForm,
  caller: Caller,
  deps: AskForAnswerDeps,
): Promise<ReceivedAnswer> => {
  const first = await attempt(call, form, caller, deps);
  const instruction = describeRepair(first, form);
  if (instruction === undefined) return first;
  const repairCall = {
    ...call,
    proofId: deps.newId('pf'),
    prompt: toRetryPrompt(call.prompt, {
      raw: first.raw,
      instruction,
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
  if (isEmptyAnswer(answer)) throw new UnusableAnswerError(describeUnusable(second));
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

/** Returns the instruction of the retry; undefined if the answer needs none. */
const describeRepair = (
  { problem, answer }: Pick<AttemptResult, 'problem' | 'answer'>,
  { decision }: AnswerForm,
): string | undefined => {
  if (problem !== undefined) {
    return (
      `Your last answer could not be used: ${problem}. Answer again with the whole JSON object ` +
      'and nothing else: no text around it, no code fence.'
    );
  }
  const contradiction = decision && findContradiction(answer, decision);
  if (!contradiction) return undefined;
  const { issueId, statement, says, votes } = contradiction;
  return (
    `Your text and your stance contradict each other: you write ${inQuotes(statement)}, which is ` +
    `${says} [${issueId}], but your stance on it is ${votes}. Decide which of them you hold, and ` +
    'answer again with the whole JSON object, in which both say the same.'
  );
};

const describeUnusable = ({ raw, finishReason, problem }: AttemptResult): string => {
  if (isCutOff(finishReason)) return 'answer cut off';
  return raw.trim() === '' ? 'empty answer' : `could not be read: ${problem}`;
};
