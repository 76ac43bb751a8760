import { addUsage, collectAnswer, isCutOff, readJsonAnswer, toTextTurn } from '@witan/dialects';
import type { Caller, JsonObject, ModelCall, OpenCall, Prompt, TokenUsage } from '@witan/dialects';
import { toRetryPrompt } from '../../completion/to-retry-prompt.ts';
import { takeLeadingThoughts } from '../../completion/thoughts/take-leading-thoughts.ts';
import type { Contradiction } from '../debate.ts';
import { LeaseLostError } from '../record/debate-store.ts';
import { inQuotes } from '../synthesis/resolve-marks.ts';
import { findContradiction } from './find-contradiction.ts';
import { openContentReader } from './open-content-reader.ts';
import { isEmptyAnswer, readAnswer, readStances } from './read-answer.ts';
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
 * Asks an agent for its answer. Retries an unreadable or incomplete answer once at temperature 0
 * with a description of the problem; of an answer whose text contradicts its stance on the
 * decision, only the stances are asked for again. If the retry fails or cannot be read, the first
 * answer is used, unless it is empty; an aborted call and a lost lease reject instead. Rejects with
 * `UnusableAnswerError` if both answers are empty. The certificate of each call commits to the
 * parsed content.
 */
export const askForAnswer = async (
  call: ModelCall,
  form: AnswerForm,
  caller: Caller,
  deps: AskForAnswerDeps,
): Promise<ReceivedAnswer> => {
  const first = await attempt(call, form, caller, deps);
  const { problem } = first;
  if (problem === undefined) {
    const contradiction = form.decision && findContradiction(first.answer, form.decision);
    return contradiction
      ? await askForStances(call, { first, contradiction, form }, caller, deps)
      : first;
  }
  const instruction =
    `Your last answer could not be used: ${problem}. Answer again with the whole JSON object ` +
    'and nothing else: no text around it, no code fence.';
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
    if (mustStop(error, caller) || isEmptyAnswer(first.answer)) throw error;
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

const mustStop = (error: unknown, { signal }: Caller): boolean =>
  signal.aborted || error instanceof LeaseLostError;

/**
 * Asks an agent whose text contradicts its stance on the decision for the stances that the text
 * takes. It is not shown its stances, because weak models repeat them. They are used if they agree
 * with the text; otherwise the answer stays, and the synthesis names the contradiction.
 */
const askForStances = async (
  call: ModelCall,
  {
    first,
    contradiction,
    form,
  }: { first: AttemptResult; contradiction: Contradiction; form: AnswerForm },
  caller: Caller,
  { openCall, newId, checkLease }: AskForAnswerDeps,
): Promise<ReceivedAnswer> => {
  const prompt = toStancePrompt(call.prompt, contradiction);
  const read = (raw: string, received: { finishReason: string }) => {
    const isCut = isCutOff(received.finishReason);
    const { rest } = takeLeadingThoughts(raw);
    const found = readJsonAnswer(rest, { isCut, schema: prompt.wantsJson });
    const stances = 'object' in found ? readStances(found.object['stances'], form.issues) : [];
    return { content: first.answer.content, value: stances };
  };
  try {
    await checkLease();
    const repeated = { ...call, proofId: newId('pf'), prompt, checkRepeat: checkLease };
    const second = await collectAnswer(repeated, caller, { openCall, read });
    const answer = { ...first.answer, stances: second.value };
    const isBetter = second.value.length > 0 && !findContradiction(answer, form.decision!);
    return {
      ...first,
      answer: isBetter ? answer : first.answer,
      proofIds: [...first.proofIds, ...second.proofIds],
      usage: addUsage(first.usage, second.usage),
    };
  } catch (error) {
    if (mustStop(error, caller)) throw error;
    return first;
  }
};

const toStancePrompt = (prompt: Prompt, { statement }: Contradiction): Prompt => {
  const { wantsJson } = prompt;
  const instruction =
    'Your text and your stance contradict each other. You have answered: ' +
    `${inQuotes(statement)} Give the stance on each proposition that this answer takes, as a ` +
    'JSON object with "stances" and nothing else.';
  return {
    ...prompt,
    isShort: true,
    isStreamed: false,
    temperature: 0,
    turns: [...prompt.turns, toTextTurn('user', instruction)],
    wantsJson: typeof wantsJson === 'object' ? toStanceSchema(wantsJson) : wantsJson,
  };
};

const toStanceSchema = ({ properties, ...schema }: JsonObject): JsonObject => ({
  ...schema,
  properties: { stances: (properties as JsonObject)['stances']! },
  required: ['stances'],
});

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

const describeUnusable = ({ raw, finishReason, problem }: AttemptResult): string => {
  if (isCutOff(finishReason)) return 'answer cut off';
  return raw.trim() === '' ? 'empty answer' : `could not be read: ${problem}`;
};
