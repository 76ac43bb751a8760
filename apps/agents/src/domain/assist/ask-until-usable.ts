import { isCutOff, readJsonAnswer, toReaskInstruction } from '@witan/dialects';
import { emptyAnswer } from '../model/empty-answer.ts';
import type { Caller, ModelCall } from '../model/model-call.ts';
import { toRetryPrompt } from '../model/to-retry-prompt.ts';
import { takeLeadingThoughts } from '../thoughts/take-leading-thoughts.ts';
import { addUsage } from '../turn/add-usage.ts';
import { ANSWER_ONLY } from '../turn/describe-rules.ts';
import { askOnce } from './ask-once.ts';
import type { AskDeps, ReadAnswer, AssistOutput } from './ask-once.ts';

/**
 * Asks for an answer that `read` can use: one that it cannot is asked for once more, with what was
 * wrong. The certificate of the answer stands first. Throws PROVIDER_INVALID_ANSWER when the second
 * answer cannot be used either, and what the calls throw.
 */
export const askUntilUsable = async (
  call: ModelCall,
  caller: Caller,
  deps: AskDeps & { read: ReadAnswer },
): Promise<AssistOutput> => {
  const first = await askOnce(call, caller, deps);
  if (!first.fault) return first;
  const prompt = toRetryPrompt(call.prompt, { raw: first.raw, ...first.fault });
  const second = await askOnce({ ...call, proofId: deps.newId('pf'), prompt }, caller, deps);
  if (second.fault) throw emptyAnswer(second.proofIds[0]!);
  return {
    ...second,
    usage: addUsage(first.usage, second.usage),
    proofIds: [...second.proofIds, ...first.proofIds],
  };
};

/** Any text but none. */
export const readText: ReadAnswer = (raw, finishReason) =>
  raw.trim() === ''
    ? { content: '', fault: { instruction: ANSWER_ONLY, isCut: isCutOff(finishReason) } }
    : { content: raw };

/** A JSON object: its text as it came, if that was all. */
export const readObject: ReadAnswer = (raw, finishReason) => {
  const text = takeLeadingThoughts(raw).rest;
  const read = readJsonAnswer(text, { isCut: isCutOff(finishReason) });
  if ('object' in read) return { content: isJson(text) ? text : JSON.stringify(read.object) };
  const isCut = read.error.kind === 'cut-off';
  return { content: '', fault: { instruction: toReaskInstruction(read.error), isCut } };
};

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // It was repaired, or taken out of the text around it.
    return false;
  }
};
