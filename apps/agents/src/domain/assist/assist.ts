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

/** A completion with data beside it (Seed 2.6). */
export type AssistRequest = AssistWish & {
  /** Absent: nothing is extracted. */
  extraction?: { source: string; categories: readonly string[]; persist: boolean };
  /** Of the certificate of the first call. */
  proofId: string;
  /** Lower-case hex commitment to the client's request body. */
  requestSha256: string;
};

export type Assisted = {
  content: string;
  extracted: ExtractedFact[];
  /** What ran. */
  model: string;
  /** `length`: the answer was cut off. */
  finishReason: string;
  /** Parameters of the request that the model does not take. */
  droppedParams: readonly string[];
  /** Of every call. */
  usage: TokenUsage;
  /** Certificates of every call, first that of the answer. */
  proofIds: string[];
};

export type AssistDeps = AskDeps & {
  extractFacts: ExtractFacts;
  /** Tokens that a prompt and its answer may have together. */
  contextTokens: number;
};

/**
 * Answers, then reads facts out of what the user wrote; that these fail changes nothing else.
 * Throws INVALID_REQUEST and REQUEST_TOO_LARGE before anybody is asked, PROVIDER_INVALID_ANSWER
 * when the model gave no answer, and what the answer's calls throw.
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
    // The client names no model: the full one answers unless the ask is simple, and what is grave
    // stays on the machine where something there can answer. `service-agent` would send it away.
    // No purpose is given either: the router could not tell an analysis from small talk by it.
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

/** What could be no name of a fact is refused before anything is paid for. */
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
