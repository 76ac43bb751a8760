import { isCutOff, readJsonAnswer, toRetryInstruction, addUsage } from '@witan/dialects';
import type { Caller, ModelCall } from '@witan/dialects';
import { emptyAnswer, toRetryPrompt } from '../completion/to-retry-prompt.ts';
import { takeLeadingThoughts } from '../completion/thoughts/take-leading-thoughts.ts';
import { ANSWER_ONLY_RULE } from '../turn/describe-rules.ts';
import { askOnce } from './ask-once.ts';
import type { AskDeps, ReadAnswer, AssistOutput } from './ask-once.ts';

/**
 * Returns an answer that `read` accepts, after at most one retry whose prompt describes the error
 * to the model. `proofIds` begins with the certificate of the returned answer. Throws
 * PROVIDER_INVALID_ANSWER if the retry is unusable as well.
 */
export const askUntilUsable = async (
  call: ModelCall,
  caller: Caller,
  deps: AskDeps & { read: ReadAnswer },
): Promise<AssistOutput> => {
  const first = await askOnce(call, caller, deps);
  if (!first.unusable) return first;
  const prompt = toRetryPrompt(call.prompt, { raw: first.raw, ...first.unusable });
  const second = await askOnce({ ...call, proofId: deps.newId('pf'), prompt }, caller, deps);
  if (second.unusable) throw emptyAnswer(second.proofIds[0]!);
  return {
    ...second,
    usage: addUsage(first.usage, second.usage),
    proofIds: [...second.proofIds, ...first.proofIds],
  };
};

export const readText: ReadAnswer = (raw, finishReason) =>
  raw.trim() === ''
    ? { content: '', unusable: { instruction: ANSWER_ONLY_RULE, isCut: isCutOff(finishReason) } }
    : { content: raw };

/**
 * Accepts an answer that contains a JSON object. Returns the model's own text if it is valid JSON,
 * otherwise the repaired object as JSON text.
 */
export const readObject: ReadAnswer = (raw, finishReason) => {
  const text = takeLeadingThoughts(raw).rest;
  const read = readJsonAnswer(text, { isCut: isCutOff(finishReason) });
  if ('object' in read) return { content: isJson(text) ? text : JSON.stringify(read.object) };
  const isCut = read.error.kind === 'cut-off';
  return { content: '', unusable: { instruction: toRetryInstruction(read.error), isCut } };
};

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // The object was repaired, or other text surrounds it.
    return false;
  }
};
