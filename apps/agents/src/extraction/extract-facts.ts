import { isServiceError, toGeneratedTokens } from '@witan/contracts';
import { isCutOff, NO_USAGE } from '@witan/dialects';
import type { AskModel, Caller, ModelAnswer, ModelCall, TokenUsage } from '@witan/dialects';
import { readExtractedFacts } from './read-extracted-facts.ts';
import type { ExtractedFact } from './read-extracted-facts.ts';
import type { LimitsOf } from '../completion/model-limits.ts';
import { estimateTokens } from '../prompt/estimate-tokens.ts';
import { capTexts, MAX_OUTPUT_TOKENS, toExtractionPrompt } from './to-extraction-prompt.ts';
import { takeLeadingThoughts } from '../completion/thoughts/take-leading-thoughts.ts';
import type { FactStore } from './facts.ts';

export type Extraction = {
  texts: readonly string[];
  source: string;
  categories: readonly string[] | undefined;
  persist: boolean;
  /**
   * Agent of the chat, undefined outside of a chat. Facts are not stored if it was deleted during
   * the extraction.
   */
  agentId?: string;
  isSensitive?: boolean;
  requestSha256: string;
};

export type Extracted = { facts: ExtractedFact[]; usage: TokenUsage; proofIds: string[] };

/**
 * Extracts facts from texts. Never rejects, so that a failed extraction does not fail the request:
 * `facts` is then empty.
 */
export type ExtractFacts = (extraction: Extraction, caller: Caller) => Promise<Extracted>;

export type ExtractionFailure = {
  workspaceId: string;
  requestId: string;
  step: 'call' | 'answer' | 'storage';
  reason: string;
  proofIds: readonly string[];
};

export type ExtractFactsDeps = {
  askModel: AskModel;
  store: Pick<FactStore, 'upsert'>;
  newId: (prefix: string) => string;
  onFailure: (failure: ExtractionFailure) => void;
  limitsOf: LimitsOf;
  timeoutMs?: number;
};

/**
 * Timeout of an extraction by a hosted model: short, because the response waits for it, but long
 * enough for reasoning models, which can take half a minute.
 */
const TIMEOUT_MS = 30_000;

export const createExtractFacts =
  (deps: ExtractFactsDeps): ExtractFacts =>
  async (extraction, caller) => {
    const { workspaceId, requestId } = caller;
    const texts = capTexts(extraction.texts);
    if (texts.length === 0) return NO_EXTRACTION;
    const toFailed = (
      step: ExtractionFailure['step'],
      reason: string,
      cost: ExtractionCost,
    ): Extracted => {
      const { proofIds } = cost;
      const isAborted = caller.signal.aborted;
      if (!isAborted) deps.onFailure({ workspaceId, requestId, step, reason, proofIds });
      return { facts: [], ...cost };
    };
    let answer: ModelAnswer;
    try {
      const call = toCall({ ...extraction, texts }, deps.newId('pf'));
      const limits = await deps.limitsOf(call, caller);
      const tokens = toGeneratedTokens(estimateTokens(texts.join('')), MAX_OUTPUT_TOKENS);
      const timeoutMs = limits.toTimeoutMs(deps.timeoutMs ?? TIMEOUT_MS, { tokens });
      const signal = AbortSignal.any([caller.signal, AbortSignal.timeout(timeoutMs)]);
      answer = await deps.askModel(call, { ...caller, signal });
    } catch (error) {
      return toFailed('call', reasonOf(error), { usage: NO_USAGE, proofIds: proofsOf(error) });
    }
    const cost = { usage: answer.usage, proofIds: answer.proofIds };
    const read = readExtractedFacts(takeLeadingThoughts(answer.text).rest, {
      categories: extraction.categories,
      isCut: isCutOff(answer.finishReason),
    });
    if ('error' in read) return toFailed('answer', read.error.kind, cost);
    const { facts } = read;
    try {
      if (extraction.persist && facts.length > 0) {
        const { source, agentId } = extraction;
        const drafts = facts.map((fact) => ({ ...fact, id: deps.newId('fct') }));
        await deps.store.upsert(workspaceId, { source, drafts, agentId });
      }
    } catch (error) {
      return toFailed('storage', reasonOf(error), cost);
    }
    return { facts, ...cost };
  };

type ExtractionCost = Omit<Extracted, 'facts'>;

export const NO_EXTRACTION: Extracted = { facts: [], usage: NO_USAGE, proofIds: [] };

const toCall = (
  { texts, categories, requestSha256, isSensitive = false }: Extraction,
  proofId: string,
): ModelCall => ({
  proofId,
  requestSha256,
  // With this purpose the router sends extractions to the small model, and sensitive ones to the
  // local runtime, if there is one.
  purpose: 'extraction',
  address: { requested: 'service-auto', kind: 'service-auto', sensitive: isSensitive },
  prompt: toExtractionPrompt({ texts, categories }),
});

/**
 * Returns the code or reason of a `ServiceError`, or the name or type of another error. The message
 * is not used, because messages of providers and databases can quote their input, which must not be
 * logged.
 */
export const reasonOf = (error: unknown): string => {
  if (isServiceError(error)) return error.fields.code ?? error.reason;
  return Error.isError(error) ? error.name : typeof error;
};

const proofsOf = (error: unknown): string[] =>
  isServiceError(error) && error.fields.proof ? [error.fields.proof] : [];
