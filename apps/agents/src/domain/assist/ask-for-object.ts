import { isServiceError } from '@witan/contracts';
import { isCutOff, readJsonAnswer, toReaskInstruction } from '@witan/dialects';
import type { JsonFault } from '@witan/dialects';
import type { Caller, ModelCall, Prompt } from '../model/model-call.ts';
import { toTextTurn } from '../prompt/to-text-turn.ts';
import { takeLeadingThoughts } from '../thoughts/take-leading-thoughts.ts';
import { addUsage } from '../turn/add-usage.ts';
import { askOnce } from './ask-once.ts';
import type { AskDeps, Said } from './ask-once.ts';

/** Most that is offered to an answer that was cut off. */
const OUTPUT_TOKENS_MAX = 16_000;

/**
 * Asks for a JSON object (C6): an answer that holds none is asked for once more, with what was
 * wrong, at temperature 0. The content is the object's text, as it came if that was all; what is no
 * object even then is the content as it is. The certificate of the answer stands first.
 */
export const askForObject = async (
  call: ModelCall,
  caller: Caller,
  deps: AskDeps,
): Promise<Said> => {
  const first = await askOnce(call, caller, { ...deps, read: readObject });
  if (!first.fault) return first;
  const prompt = toReask(call.prompt, first.raw, first.fault);
  const again = { ...call, proofId: deps.newId('pf'), prompt };
  try {
    const second = await askOnce(again, caller, { ...deps, read: readObject });
    return {
      ...second,
      usage: addUsage(first.usage, second.usage),
      proofIds: [...second.proofIds, ...first.proofIds],
    };
  } catch (error) {
    if (caller.signal.aborted) throw error;
    // The first answer is paid for and is certified as delivered.
    const sealed = isServiceError(error) && error.fields.proof ? [error.fields.proof] : [];
    return { ...first, proofIds: [...first.proofIds, ...sealed] };
  }
};

const readObject = (raw: string, finishReason: string): { content: string; fault?: JsonFault } => {
  const text = takeLeadingThoughts(raw).rest;
  const read = readJsonAnswer(text, { isCut: isCutOff(finishReason) });
  if ('fault' in read) return { content: raw, fault: read.fault };
  return { content: isJson(text) ? text : JSON.stringify(read.object) };
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

const toReask = (prompt: Prompt, raw: string, fault: JsonFault): Prompt => {
  const { turns, maxOutputTokens: limit } = prompt;
  const needsRoom = fault.kind === 'cut-off' && limit !== undefined;
  return {
    ...prompt,
    temperature: 0,
    ...(needsRoom ? { maxOutputTokens: Math.max(limit, toMore(limit)) } : {}),
    turns: [
      ...turns,
      toTextTurn('assistant', raw.trim() === '' ? '...' : raw),
      toTextTurn('user', toReaskInstruction(fault)),
    ],
  };
};

const toMore = (limit: number): number => Math.min(limit * 2, OUTPUT_TOKENS_MAX);
