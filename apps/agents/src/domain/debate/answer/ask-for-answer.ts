import { isCutOff } from '@witan/dialects';
import type { Caller, ModelCall, OpenCall, Prompt, TokenUsage } from '../../model/model-call.ts';
import { toTextTurn } from '../../prompt/to-text-turn.ts';
import { takeLeadingThoughts } from '../../thoughts/take-leading-thoughts.ts';
import { addUsage, NO_USAGE } from '../../turn/add-usage.ts';
import { DebateLost } from '../record/debate-store.ts';
import { openContentReader } from './open-content-reader.ts';
import { readAnswer } from './read-answer.ts';
import type { AnswerForm, ReadAnswer, SaidAnswer } from './read-answer.ts';

/** An answer and what it took to get it. */
export type GotAnswer = {
  answer: SaidAnswer;
  proofIds: string[];
  usage: TokenUsage;
  /** Of the first prompt, as the provider counted. */
  promptTokens: number;
};

export type AskForAnswerDeps = {
  openCall: OpenCall;
  newId: (prefix: string) => string;
  /** Rejects with `DebateLost` when another process holds the debate by now. */
  checkLease: () => Promise<void>;
  /** A piece of what will be the content, as it comes. */
  onDelta: (text: string) => void;
};

/**
 * Asks an agent for its answer in a debate. One that is no such answer is asked for once more, with
 * what was wrong, at temperature 0; what is none even then counts as prose (C1). Each call has a
 * certificate, which commits to the content that was read out of it.
 */
export const askForAnswer = async (
  call: ModelCall,
  form: AnswerForm,
  caller: Caller,
  deps: AskForAnswerDeps,
): Promise<GotAnswer> => {
  const first = await ask(call, form, caller, deps);
  if (first.fault === undefined) return first;
  const again = {
    ...call,
    proofId: deps.newId('pf'),
    prompt: toReask(call.prompt, first.raw, first.fault),
  };
  let second: Asked;
  try {
    second = await ask(again, form, caller, { ...deps, onDelta: () => {} });
  } catch (error) {
    if (caller.signal.aborted || error instanceof DebateLost) throw error;
    // What it said first is paid for, and is its word.
    return first;
  }
  return {
    answer: chooseAnswer(first, second),
    proofIds: [...first.proofIds, ...second.proofIds],
    usage: addUsage(first.usage, second.usage),
    promptTokens: first.promptTokens,
  };
};

type Asked = GotAnswer & { raw: string; fault: string | undefined };

const ask = async (
  call: ModelCall,
  form: AnswerForm,
  caller: Caller,
  { openCall, checkLease, onDelta }: AskForAnswerDeps,
): Promise<Asked> => {
  // At the last moment: whoever was frozen meanwhile must not pay for what another has asked.
  await checkLease();
  const { pieces, deliver } = openCall(call, caller);
  const content = openContentReader(onDelta);
  let raw = '';
  let read: ReadAnswer | undefined;
  let usage = NO_USAGE;
  let { proofId } = call;
  for await (const piece of pieces) {
    if (piece.kind === 'opened') proofId = piece.proofId;
    else if (piece.kind === 'text') {
      raw += piece.text;
      content.push(piece.text);
    } else if (piece.kind === 'ending') {
      usage = piece.usage;
      const isCut = isCutOff(piece.finishReason);
      read = readAnswer(takeLeadingThoughts(raw).rest, { isCut, form });
      deliver(read.answer.content);
    }
  }
  const { answer, fault } = read!;
  const { promptTokens } = usage;
  return { answer, fault, raw, proofIds: [proofId], usage, promptTokens };
};

/** A second answer that is no better does not replace what was said first. */
const chooseAnswer = (first: Asked, second: Asked): SaidAnswer =>
  second.fault === undefined || first.answer.content === '' ? second.answer : first.answer;

const toReask = (prompt: Prompt, raw: string, fault: string): Prompt => ({
  ...prompt,
  temperature: 0,
  turns: [
    ...prompt.turns,
    toTextTurn('assistant', raw.trim() === '' ? '...' : raw),
    toTextTurn(
      'user',
      `Your last answer could not be used: ${fault}. Answer again with the whole JSON object and ` +
        'nothing else: no text around it, no code fence.',
    ),
  ],
});
