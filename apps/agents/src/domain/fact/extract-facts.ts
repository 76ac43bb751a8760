import { isServiceError } from '@witan/contracts';
import { isCutOff } from '@witan/dialects';
import { readExtractedFacts } from '../answer/read-extracted-facts.ts';
import type { ExtractedFact } from '../answer/read-extracted-facts.ts';
import { toExtractionRequest } from '../answer/to-extraction-request.ts';
import type { AskModel, Caller, ModelAnswer, ModelCall, TokenUsage } from '../model/model-call.ts';
import { toTextTurn } from '../prompt/to-text-turn.ts';
import { takeLeadingThoughts } from '../thoughts/take-leading-thoughts.ts';
import { NO_USAGE } from '../turn/add-usage.ts';
import { capTexts } from './cap-texts.ts';
import type { FactStore } from './fact.ts';

/** What is to be read, and what becomes of it. */
export type Extraction = {
  /** What the user wrote, oldest first; nobody else's words. */
  texts: readonly string[];
  /** The namespace of the facts. */
  source: string;
  /** Facts of others are dropped; absent: any. */
  categories: readonly string[] | undefined;
  /** The facts are kept. */
  persist: boolean;
  /** Whose chat it was: facts are not kept for an agent that was deleted meanwhile. */
  agentId?: string;
  /** The texts must not leave the machine, as with the answer that they got. */
  isSensitive?: boolean;
  /** Lower-case hex commitment to the client's request body. */
  requestSha256: string;
};

/** The facts, and what it took to read them: both may be none. */
export type Extracted = { facts: ExtractedFact[]; usage: TokenUsage; proofIds: string[] };

/**
 * Reads facts out of what a user wrote (Seed 4.1 rule 6, 4.2). Never rejects: whatever fails, there
 * are no facts, and the answer beside them stays as it is.
 */
export type ExtractFacts = (wanted: Extraction, caller: Caller) => Promise<Extracted>;

/** Why there are no facts; holds nothing of what was read or said. */
export type ExtractionFailure = {
  workspaceId: string;
  requestId: string;
  /** Asking the model, reading its answer, or keeping the facts. */
  step: 'call' | 'answer' | 'storage';
  reason: string;
  /** Certificate of the call, if there is one. */
  proofIds: readonly string[];
};

export type ExtractFactsDeps = {
  askModel: AskModel;
  store: Pick<FactStore, 'upsert'>;
  newId: (prefix: string) => string;
  onFailure: (failure: ExtractionFailure) => void;
  /** Longest call, in milliseconds. */
  timeoutMs?: number;
};

/** An answer that is there must not wait for long; models that reason take up to half a minute. */
const TIMEOUT_MS = 30_000;

/** By one call of the small model, with a certificate of its own. */
export const createExtractFacts =
  (deps: ExtractFactsDeps): ExtractFacts =>
  async (wanted, caller) => {
    const { workspaceId, requestId } = caller;
    const texts = capTexts(wanted.texts);
    if (texts.length === 0) return NOTHING;
    const fail = (step: ExtractionFailure['step'], reason: string, spent: Spent): Extracted => {
      const { proofIds } = spent;
      // Nobody waits for facts whose client has left.
      const isLeft = caller.signal.aborted;
      if (!isLeft) deps.onFailure({ workspaceId, requestId, step, reason, proofIds });
      return { facts: [], ...spent };
    };
    let answer: ModelAnswer;
    try {
      const limit = AbortSignal.timeout(deps.timeoutMs ?? TIMEOUT_MS);
      const signal = AbortSignal.any([caller.signal, limit]);
      const call = toCall({ ...wanted, texts }, deps.newId('pf'));
      answer = await deps.askModel(call, { ...caller, signal });
    } catch (error) {
      return fail('call', reasonOf(error), { usage: NO_USAGE, proofIds: proofsOf(error) });
    }
    const spent = { usage: answer.usage, proofIds: answer.proofIds };
    const read = readExtractedFacts(takeLeadingThoughts(answer.text).rest, {
      categories: wanted.categories,
      isCut: isCutOff(answer.finishReason),
    });
    if ('fault' in read) return fail('answer', read.fault.kind, spent);
    const { facts } = read;
    try {
      if (wanted.persist && facts.length > 0)
        await saveFacts(facts, wanted, { workspaceId, ...deps });
    } catch (error) {
      return fail('storage', reasonOf(error), spent);
    }
    return { facts, ...spent };
  };

type Spent = Omit<Extracted, 'facts'>;

/** Of an extraction that nobody asked for, or that had nothing to read. */
export const NOTHING: Extracted = { facts: [], usage: NO_USAGE, proofIds: [] };

const toCall = (
  { texts, categories, requestSha256, isSensitive = false }: Extraction,
  proofId: string,
): ModelCall => {
  const { system, message, temperature, maxOutputTokens } = toExtractionRequest({
    texts,
    categories,
  });
  return {
    proofId,
    requestSha256,
    // The router gives what we extract to the small model, and keeps what is grave on the machine.
    purpose: 'extraction',
    address: { requested: 'service-auto', kind: 'service-auto', sensitive: isSensitive },
    prompt: {
      system: [system],
      turns: [toTextTurn('user', message)],
      temperature,
      maxOutputTokens,
      isShort: true,
      wantsJson: true,
      isStreamed: false,
    },
  };
};

const saveFacts = (
  facts: readonly ExtractedFact[],
  { source, agentId }: Extraction,
  {
    workspaceId,
    store,
    newId,
  }: Pick<ExtractFactsDeps, 'store' | 'newId'> & { workspaceId: string },
): Promise<void> => {
  const drafts = facts.map((fact) => ({ ...fact, id: newId('fct') }));
  return store.upsert(workspaceId, { source, drafts, ...(agentId ? { agentId } : {}) });
};

/** Messages of providers and databases quote what they were given. */
export const reasonOf = (error: unknown): string => {
  if (isServiceError(error)) return error.fields.code ?? error.reason;
  return Error.isError(error) ? error.name : typeof error;
};

const proofsOf = (error: unknown): string[] =>
  isServiceError(error) && error.fields.proof ? [error.fields.proof] : [];
