import { commitAnswer } from './answer.ts';
import type { CertificatePayload, FinishReason } from './certificate.ts';
import { commit } from './commitment.ts';
import { commitEmbeddings } from './embedding-answer.ts';
import { ProofError } from './errors.ts';
import { readSavedAnswer } from './saved-answer.ts';
import type { SavedAnswer } from './saved-answer.ts';
import { parseUniqueJson } from './strict-json.ts';

export type ComparedPart = 'text' | 'vectors' | 'tool calls' | 'finish reason' | 'usage' | 'model';

export type VerifiedResponse = {
  compared: ComparedPart[];
  notCovered: string[];
};

export type ResponseOptions = {
  /**
   * Model name that the answer must contain, for a provider that reports another name than the
   * requested one, such as that of a deployment. Default: the model in the certificate.
   */
  model?: string | undefined;
};

/**
 * Verifies that the certificate commits to this request body, given as JSON text or as its bytes.
 * Throws ProofError `request`, `not_json`, `duplicate_key` and `too_deep`.
 */
export function verifyRequest(payload: CertificatePayload, body: string | Uint8Array): void {
  const actual = commit(parseUniqueJson(body));
  if (actual === payload.request.sha256) return;
  const detail = `the body commits to ${actual}, the certificate says ${payload.request.sha256}`;
  throw new ProofError('request', detail);
}

/**
 * Verifies that the certificate covers an answer as the client received and saved it (a JSON body
 * or the transcript of a stream): its text and tool calls, and, if present, its finish reason,
 * usage and model. Throws ProofError `response`, `received_part`, `finish_reason`, `usage`,
 * `model`, `stream_end`, `answer`, `duplicate_key` and `frame_too_large`.
 */
export function verifyResponse(
  payload: CertificatePayload,
  answer: Uint8Array,
  options: ResponseOptions = {},
): VerifiedResponse {
  const saved = readSavedAnswer(answer);
  const { vectors } = saved;
  const actual = vectors ? commitEmbeddings(vectors) : commitAnswer(saved.choices);
  if (actual !== payload.response.sha256) throw notCommittedTo(payload, saved, actual);
  verifyStreamEnd(payload, saved);
  const notCovered = [...saved.notCovered];
  const hasFinishReason = verifyFinishReason(payload, saved);
  if (saved.finishReason !== undefined && !hasFinishReason) notCovered.push('finish reason');
  const hasUsage = verifyUsage(payload, saved);
  if (saved.usage !== undefined && !hasUsage) notCovered.push('usage');
  const expected = options.model ?? payload.egress.model;
  if (hasOtherVersion(expected, saved)) notCovered.push('version of the model');
  const compared: ComparedPart[] = vectors ? ['vectors'] : ['text', 'tool calls'];
  if (hasFinishReason) compared.push('finish reason');
  if (hasUsage) compared.push('usage');
  if (saved.models.length > 0) compared.push('model');
  return { compared, notCovered };
}

/**
 * Returns the error for an answer with another commitment. The client of an aborted call left while
 * more was sent to it, and a certificate commits to the whole that was sent: no part of it can be
 * compared, so the saved part is neither proven nor refuted.
 */
function notCommittedTo(
  { response }: CertificatePayload,
  { isCut }: SavedAnswer,
  actual: string,
): ProofError {
  if (response.finishReason === 'aborted' && isCut === true) {
    const detail =
      'the client left before the end (aborted); the certificate commits to what had been sent ' +
      'until then, which is more than was saved, or another text: a part cannot be compared';
    return new ProofError('received_part', detail);
  }
  const detail = `the answer commits to ${actual}, the certificate says ${response.sha256}`;
  return new ProofError('response', detail);
}

const INCOMPLETE_REASONS: ReadonlySet<FinishReason> = new Set(['aborted', 'error', 'lost']);

/**
 * Throws ProofError `stream_end` if frames follow the terminal frame, or if a complete answer has
 * no terminal frame: it is sent only after the certificate was stored durably, so a complete stream
 * has it.
 */
function verifyStreamEnd({ response }: CertificatePayload, { streamEnd }: SavedAnswer): void {
  if (streamEnd === 'passed') {
    throw new ProofError('stream_end', 'frames stand behind the end of the stream');
  }
  if (streamEnd === 'missing' && !INCOMPLETE_REASONS.has(response.finishReason)) {
    const signed = response.finishReason;
    throw new ProofError(
      'stream_end',
      `the stream breaks off, the certificate says that the answer ended with ${signed}`,
    );
  }
}

/**
 * Returns whether the answer has the certificate's finish reason and only that one. Throws
 * ProofError `finish_reason` if it has another.
 */
function verifyFinishReason({ response }: CertificatePayload, saved: SavedAnswer): boolean {
  const { finishReason: signed } = response;
  const { finishReason: actual, streamEnd } = saved;
  const isOneOfTwo = mayEndEitherWay(signed, saved);
  if (actual === signed || (isOneOfTwo && isEndOfCalls(saved))) return !isOneOfTwo;
  const isStream = streamEnd !== undefined;
  // The client may have missed the last frames of an interrupted stream, so the finish reason may
  // differ.
  if (isStream && streamEnd === 'missing' && INCOMPLETE_REASONS.has(signed)) return false;
  if (!isStream && actual === undefined) return false;
  const description = actual === undefined ? 'does not say why it ended' : `ended with ${actual}`;
  throw new ProofError(
    'finish_reason',
    `the answer ${description}, the certificate says ${signed}`,
  );
}

/**
 * Returns whether the answer may say either that it stopped or that it ended with its tool calls.
 * In the messages and responses dialects an answer that the gateway wrote ends with `tool_calls` if
 * it has any, whatever finish reason the provider reported and the certificate has.
 */
function mayEndEitherWay(signed: FinishReason, saved: SavedAnswer): boolean {
  if (saved.dialect !== 'messages' && saved.dialect !== 'responses') return false;
  return hasCalls(saved) ? signed === 'stop' : signed === 'tool_calls';
}

const isEndOfCalls = (saved: SavedAnswer): boolean =>
  saved.finishReason === (hasCalls(saved) ? 'tool_calls' : 'stop');

const hasCalls = ({ choices }: SavedAnswer): boolean =>
  choices.some(({ toolCalls }) => toolCalls.length > 0);

/**
 * Returns whether the answer's token counts equal the certificate's. Throws ProofError `usage` if
 * final counts differ. Returns false for interim counts that differ and for an answer without
 * counts.
 */
function verifyUsage({ response }: CertificatePayload, saved: SavedAnswer): boolean {
  const { usage, hasInterimUsage } = saved;
  if (usage === undefined) return false;
  const parts = ['promptTokens', 'completionTokens', 'totalTokens'] as const;
  const differingPart = parts.find(
    (part) => usage[part] !== undefined && usage[part] !== response.usage[part],
  );
  if (differingPart === undefined) return true;
  if (hasInterimUsage) return false;
  const detail =
    `${differingPart} is ${usage[differingPart]}, ` +
    `the certificate says ${response.usage[differingPart]}`;
  throw new ProofError('usage', detail);
}

/**
 * Returns whether the answer names a version of the expected model, such as `name-2026-02-14` for
 * `name`, which the certificate does not have. Throws ProofError `model` for another model.
 */
function hasOtherVersion(expected: string, { models }: SavedAnswer): boolean {
  const others = models.filter((model) => model !== expected);
  const otherModel = others.find((model) => !isVersionOf(model, expected));
  if (otherModel === undefined) return others.length > 0;
  throw new ProofError('model', `the answer names ${otherModel}, expected is ${expected}`);
}

function isVersionOf(model: string, name: string): boolean {
  const extendsBy = (family: string, version: RegExp): boolean =>
    model.startsWith(family) && version.test(model.slice(family.length));
  // Handles an alias: claude-sonnet-4-0 stands for claude-sonnet-4-20250514, and not for other
  // minor versions.
  if (name.endsWith('-0') && extendsBy(name.slice(0, -2), /^-\d{8}$/)) return true;
  return extendsBy(name.replace(/-latest$/, ''), /^[-@:][0-9][0-9.-]*$/);
}
