import { invalidRequest } from '@witan/contracts';
import type { ExtractedFact } from '../answer/read-extracted-facts.ts';
import { NOTHING } from '../fact/extract-facts.ts';
import type { Extracted, ExtractFacts } from '../fact/extract-facts.ts';
import type { Caller, ModelCall, TokenUsage } from '../model/model-call.ts';
import { addUsage } from '../turn/add-usage.ts';
import type { AskDeps } from './ask-once.ts';
import { askUntilUsable, readObject, readText } from './ask-until-usable.ts';
import { prepareAssist } from './prepare-assist.ts';
import type { AssistWish } from './prepare-assist.ts';

/** A completion with optional fact extraction. */
export type AssistRequest = AssistWish & {
  /** Absent: no extraction. */
  extraction?: { source: string; categories: readonly string[]; persist: boolean };
  /** Certificate id of the first call. */
  proofId: string;
  /** SHA-256 of the client's request body, lower-case hex. */
  requestSha256: string;
};

export type Assisted = {
  content: string;
  extracted: ExtractedFact[];
  /** The model that answered. */
  model: string;
  /** `length`: the answer was cut off. */
  finishReason: string;
  /** Request parameters that the model does not support. */
  droppedParams: readonly string[];
  /** Sum of all calls. */
  usage: TokenUsage;
  /** Certificates of all calls, the answer's first. */
  proofIds: string[];
};

export type AssistDeps = AskDeps & {
  extractFacts: ExtractFacts;
  /** Tokens of a prompt and its answer together. */
  contextTokens: number;
};

/**
 * Answers, then extracts facts from the user's texts; a failed extraction does not fail the answer.
 * Throws INVALID_REQUEST and REQUEST_TOO_LARGE before any call, PROVIDER_INVALID_ANSWER if the
 * model gave no answer, and the errors of the answer's calls.
 */
export const assist = async (
  request: AssistRequest,
  caller: Caller,
  deps: AssistDeps,
): Promise<Assisted> => {
  checkExtraction(request);
  const prompt = prepareAssist(request, deps.contextTokens);
  const call: ModelCall = {
    proofId: request.proofId,
    requestSha256: request.requestSha256,
    // The client names no model: the router chooses by difficulty, and keeps sensitive requests
    // local if it can. `service-agent` would send them out. Without a purpose, because the router
    // could not distinguish analysis from small talk by it.
    address: { requested: 'service-auto', kind: 'service-auto' },
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

/** Rejects invalid names before any paid call. */
const checkExtraction = ({ extraction }: AssistRequest): void => {
  if (!extraction) return;
  const { source, categories } = extraction;
  if (!isName(source)) throw unfit('extraction.source');
  if (categories.length === 0 || !categories.every(isName)) throw unfit('extraction.categories');
};

const isName = (text: string): boolean =>
  text.trim() !== '' && text.length <= NAME_LENGTH_MAX && !text.includes('\0');

const unfit = (param: string) =>
  invalidRequest(`${param} needs 1 to ${NAME_LENGTH_MAX} characters, none of them NUL.`, { param });

const extract = async (
  { extraction, messages, requestSha256 }: AssistRequest,
  caller: Caller,
  { extractFacts }: AssistDeps,
): Promise<Extracted> => {
  if (!extraction) return NOTHING;
  const { source, categories, persist } = extraction;
  const texts = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
  return extractFacts({ texts, source, categories, persist, requestSha256 }, caller);
};
