import {
  isCutOff,
  readJsonAnswer,
  toRetryInstruction,
  addUsage,
  collectAnswer,
} from '@witan/dialects';
import type { Caller, ModelCall, CallResult, OpenCall, ReadAnswer } from '@witan/dialects';
import { emptyAnswer, toRetryPrompt } from '../completion/to-retry-prompt.ts';
import type { UnusableAnswer } from '../completion/to-retry-prompt.ts';
import { takeLeadingThoughts } from '../completion/thoughts/take-leading-thoughts.ts';
import { ANSWER_ONLY_RULE } from '../turn/describe-rules.ts';

export type AskDeps = { openCall: OpenCall; newId: (prefix: string) => string };

/**
 * Reads an answer. `value` is undefined if the answer is usable, and otherwise says why it is not.
 */
type ReadUsable = ReadAnswer<Omit<UnusableAnswer, 'raw'> | undefined>;

/**
 * Returns an answer that `read` accepts, after at most one retry, whose prompt adds the unusable
 * answer and an instruction. `proofIds` begins with the certificate of the returned answer. Throws
 * PROVIDER_INVALID_ANSWER if the retry is unusable as well.
 */
export const askUntilUsable = async (
  call: ModelCall,
  caller: Caller,
  deps: AskDeps & { read: ReadUsable },
): Promise<Omit<CallResult<unknown>, 'value'>> => {
  const first = await collectAnswer(call, caller, deps);
  if (!first.value) return { ...first, proofIds: first.proofIds.toReversed() };
  const prompt = toRetryPrompt(call.prompt, { raw: first.raw, ...first.value });
  const retry = { ...call, proofId: deps.newId('pf'), prompt };
  const second = await collectAnswer(retry, caller, deps);
  if (second.value) throw emptyAnswer(second.proofId);
  return {
    ...second,
    usage: addUsage(first.usage, second.usage),
    proofIds: [...first.proofIds, ...second.proofIds].toReversed(),
  };
};

export const readText: ReadUsable = (raw, { finishReason }) =>
  raw.trim() === ''
    ? { content: '', value: { instruction: ANSWER_ONLY_RULE, isCut: isCutOff(finishReason) } }
    : { content: raw, value: undefined };

/**
 * Accepts an answer from which a JSON object can be read. Returns the text after leading thoughts
 * if it is valid JSON, otherwise the object that was read, as JSON text.
 */
export const readObject: ReadUsable = (raw, { finishReason }) => {
  const text = takeLeadingThoughts(raw).rest;
  const read = readJsonAnswer(text, { isCut: isCutOff(finishReason) });
  if ('object' in read) {
    return { content: isJson(text) ? text : JSON.stringify(read.object), value: undefined };
  }
  const isCut = read.error.kind === 'cut-off';
  return { content: '', value: { instruction: toRetryInstruction(read.error), isCut } };
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
