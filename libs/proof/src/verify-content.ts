import { commitAnswer } from './answer.ts';
import type { CertificatePayload } from './certificate.ts';
import { commit } from './commitment.ts';
import { ProofError } from './errors.ts';
import { parseSavedAnswer } from './saved-answer.ts';
import { parseJson } from './strict-json.ts';

/**
 * Verifies that the certificate commits to this request body: the JSON text, or the bytes of it,
 * that the client sent. Throws `request`, `not_json` and `too_deep`.
 */
export function verifyRequest(payload: CertificatePayload, body: string | Uint8Array): void {
  const actual = commit(parseJson(body));
  if (actual === payload.request.sha256) return;
  const detail = `the body commits to ${actual}, the certificate says ${payload.request.sha256}`;
  throw new ProofError('request', detail);
}

/**
 * Verifies that the certificate commits to this answer, saved as the client received it: a plain
 * body or the transcript of a stream. Throws `response`, `answer` and `frame_too_large`.
 */
export function verifyResponse(payload: CertificatePayload, answer: Uint8Array): void {
  const actual = commitAnswer(parseSavedAnswer(answer));
  if (actual === payload.response.sha256) return;
  const detail = `the answer commits to ${actual}, the certificate says ${payload.response.sha256}`;
  throw new ProofError('response', detail);
}
