import { isCutOff } from '@witan/dialects';
import type {
  Caller,
  ModelCall,
  ModelEnding,
  OpenCall,
  TokenUsage,
} from '../../model/model-call.ts';
import { collectCalls } from '../../model/collect-calls.ts';
import { toRetryPrompt } from '../../model/to-retry-prompt.ts';
import { takeLeadingThoughts } from '../../thoughts/take-leading-thoughts.ts';
import { addUsage } from '../../turn/add-usage.ts';
import { LeaseLost } from '../record/debate-store.ts';
import { openContentReader } from './open-content-reader.ts';
import { isEmptyAnswer, readAnswer } from './read-answer.ts';
import type { AnswerForm, ReadAnswer, AnswerBody } from './read-answer.ts';

/** An answer and what it took to get it. */
export type ReceivedAnswer = {
  answer: AnswerBody;
  /** How the model ended this answer, in the words of the neutral form: `stop`, `length` ... */
  finishReason: string;
  proofIds: string[];
  usage: TokenUsage;
  /** Of the first prompt, as the provider counted. */
  promptTokens: number;
};

export type AskForAnswerDeps = {
  openCall: OpenCall;
  newId: (prefix: string) => string;
  /** Rejects with `LeaseLost` when another process holds the debate by now. */
  checkLease: () => Promise<void>;
  /** A piece of what will be the content, as it comes. */
  onDelta: (text: string) => void;
};

/** The model was asked twice, and neither answer holds a text or a decision. */
export class EmptyAnswer extends Error {
  constructor() {
    super('The model gave no answer that can be read.');
    this.name = 'EmptyAnswer';
  }
}

/**
 * Asks an agent for its answer in a debate. One that is no such answer is asked for once more, with
 * what was wrong, at temperature 0; what is prose even then counts as prose (C1), and rejects with
 * `EmptyAnswer` when it is empty. Each call has a certificate, which commits to the content that
 * was read out of it.
 */
export const askForAnswer = async (
  call: ModelCall,
  form: AnswerForm,
  caller: Caller,
  deps: AskForAnswerDeps,
): Promise<ReceivedAnswer> => {
  const first = await ask(call, form, caller, deps);
  if (first.problem === undefined) return first;
  const again = {
    ...call,
    proofId: deps.newId('pf'),
    prompt: toRetryPrompt(call.prompt, {
      raw: first.raw,
      instruction: describeRepair(first.problem),
      isCut: isCutOff(first.finishReason),
    }),
  };
  let second: Asked;
  try {
    second = await ask(again, form, caller, { ...deps, onDelta: () => {} });
  } catch (error) {
    const isOver = caller.signal.aborted || error instanceof LeaseLost;
    if (isOver || isEmptyAnswer(first.answer)) throw error;
    // What it said first is paid for, and is its word.
    return first;
  }
  const { answer, finishReason } = chooseAnswer(first, second);
  if (isEmptyAnswer(answer)) throw new EmptyAnswer();
  return {
    answer,
    finishReason,
    proofIds: [...first.proofIds, ...second.proofIds],
    usage: addUsage(first.usage, second.usage),
    promptTokens: first.promptTokens,
  };
};

type Asked = ReceivedAnswer & { raw: string; problem: string | undefined };

const ask = async (
  call: ModelCall,
  form: AnswerForm,
  caller: Caller,
  { openCall, checkLease, onDelta }: AskForAnswerDeps,
): Promise<Asked> => {
  // At the last moment: whoever was frozen meanwhile must not pay for what another has asked.
  await checkLease();
  const { pieces, deliver } = openCall({ ...call, checkRepeat: checkLease }, caller);
  const content = openContentReader(onDelta);
  let raw = '';
  let read: ReadAnswer | undefined;
  let ending: ModelEnding | undefined;
  for await (const piece of pieces) {
    if (piece.kind === 'text') {
      raw += piece.text;
      content.push(piece.text);
    } else if (piece.kind === 'ending') {
      ending = piece;
      const isCut = isCutOff(piece.finishReason);
      read = readAnswer(takeLeadingThoughts(raw).rest, { isCut, form });
      deliver(read.answer.content);
    }
  }
  const { answer, problem } = read!;
  const { finishReason, usage } = ending!;
  const { promptTokens } = usage;
  const calls = collectCalls(ending!);
  return { answer, finishReason, problem, raw, ...calls, promptTokens };
};

/** A second answer that is no better does not replace what was said first. */
const chooseAnswer = (first: Asked, second: Asked): Asked =>
  second.problem === undefined || isEmptyAnswer(first.answer) ? second : first;

const describeRepair = (problem: string): string =>
  `Your last answer could not be used: ${problem}. Answer again with the whole JSON object and ` +
  'nothing else: no text around it, no code fence.';
