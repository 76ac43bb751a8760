import { invalidRequest } from '@witan/contracts';
import { addUsage } from '@witan/dialects';
import type { Caller, ModelCall, TokenUsage } from '@witan/dialects';
import type { ExtractedFact } from '../extraction/read-extracted-facts.ts';
import type { LimitsOf } from '../completion/model-limits.ts';
import { NO_EXTRACTION } from '../extraction/extract-facts.ts';
import type { Extracted, ExtractFacts } from '../extraction/extract-facts.ts';
import { askUntilUsable, readObject, readText } from './ask-until-usable.ts';
import type { AskDeps } from './ask-until-usable.ts';
import { prepareAssist } from './prepare-assist.ts';
import type { AssistParams } from './prepare-assist.ts';

export type AssistRequest = AssistParams & {
  extraction?: { source: string; categories: readonly string[]; persist: boolean };
  proofId: string;
  requestSha256: string;
};

export type AssistResult = {
  content: string;
  extracted: ExtractedFact[];
  model: string;
  finishReason: string;
  droppedParams: readonly string[];
  usage: TokenUsage;
  proofIds: string[];
};

export type AssistDeps = AskDeps & {
  extractFacts: ExtractFacts;
  limitsOf: LimitsOf;
};

/**
 * Answers a request and then, if `extraction` is set, extracts facts from the user's texts. Throws
 * INVALID_REQUEST and REQUEST_TOO_LARGE before any call, and PROVIDER_INVALID_ANSWER if the model
 * gives no usable answer.
 */
export const assist = async (
  request: AssistRequest,
  caller: Caller,
  deps: AssistDeps,
): Promise<AssistResult> => {
  checkExtraction(request);
  // `service-auto` chooses a model by the difficulty of the request and routes sensitive requests
  // to a local runtime if possible; `service-agent` would send them to a hosted model. `purpose` is
  // left out, so that the router itself classifies the request, for example as analysis or small
  // talk.
  const address = { requested: 'service-auto', kind: 'service-auto' };
  const { contextTokens } = await deps.limitsOf({ address }, caller);
  const prompt = prepareAssist(request, contextTokens);
  const call: ModelCall = {
    proofId: request.proofId,
    requestSha256: request.requestSha256,
    address,
    prompt,
  };
  const read = request.json ? readObject : readText;
  const output = await askUntilUsable(call, caller, { ...deps, read });
  const { facts, ...extraction } = await extract(request, caller, deps);
  return {
    content: output.content,
    extracted: facts,
    model: output.model,
    finishReason: output.finishReason,
    droppedParams: output.droppedParams,
    usage: addUsage(output.usage, extraction.usage),
    proofIds: [...output.proofIds, ...extraction.proofIds],
  };
};

const NAME_LENGTH_MAX = 200;

const checkExtraction = ({ extraction }: AssistRequest): void => {
  if (!extraction) return;
  const { source, categories } = extraction;
  if (!isName(source)) throw invalidName('extraction.source');
  if (categories.length === 0 || !categories.every(isName))
    throw invalidName('extraction.categories');
};

const isName = (text: string): boolean =>
  text.trim() !== '' && text.length <= NAME_LENGTH_MAX && !text.includes('\0');

const invalidName = (param: string) =>
  invalidRequest(`${param} needs 1 to ${NAME_LENGTH_MAX} characters, none of them NUL.`, { param });

const extract = async (
  { extraction, messages, requestSha256 }: AssistRequest,
  caller: Caller,
  { extractFacts }: AssistDeps,
): Promise<Extracted> => {
  if (!extraction) return NO_EXTRACTION;
  const { source, categories, persist } = extraction;
  const texts = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
  return extractFacts({ texts, source, categories, persist, requestSha256 }, caller);
};
