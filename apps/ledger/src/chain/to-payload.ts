import type { CertificateDraft, Draft } from '@witan/contracts';
import { invalidRequest } from '@witan/contracts';
import { parsePayload, ProofError } from '@witan/proof';
import type { CertificatePayload } from '@witan/proof';

type Position = { issuer: string; issuedAt: string; chainIndex: number; prevHash: string };

/**
 * Returns the payload of a certificate. Members are in their canonical order, so that the canonical
 * text is written at once.
 */
export const toPayload = (draft: CertificateDraft, position: Position): CertificatePayload => {
  const { address, egress, answer, routing, grounding } = draft;
  const { chainIndex, issuedAt, issuer, prevHash } = position;
  return {
    address: {
      ...(address.agent ? { agent: address.agent } : {}),
      kind: address.kind as CertificatePayload['address']['kind'],
      ...(address.knowledge ? { knowledge: true as const } : {}),
      ...(address.sensitive ? { sensitive: true as const } : {}),
    },
    chainIndex,
    egress: {
      model: egress.model,
      pii: {
        categories: egress.categories,
        masked: egress.masked,
        ...(egress.uninspected ? { uninspected: egress.uninspected } : {}),
      },
      provider: egress.provider,
      sha256: egress.sha256,
    },
    ...(grounding
      ? {
          grounding: grounding.passages.map(({ source, chunkId, page, sha256 }) => ({
            chunkId,
            page: page ?? null,
            sha256,
            source,
          })),
        }
      : {}),
    id: draft.proofId,
    issuedAt,
    issuer,
    prevHash,
    request: { model: address.requested, sha256: draft.requestSha256 },
    response: {
      finishReason: answer.finishReason as CertificatePayload['response']['finishReason'],
      sha256: answer.sha256,
      usage: {
        completionTokens: answer.usage.completionTokens,
        ...(answer.usage.estimated ? { estimated: true as const } : {}),
        promptTokens: answer.usage.promptTokens,
        totalTokens: answer.usage.totalTokens,
      },
    },
    routing: {
      reason: routing.reason as CertificatePayload['routing']['reason'],
      taskType: routing.taskType as CertificatePayload['routing']['taskType'],
    },
    v: 1,
  };
};

/** An arbitrary valid position, because `checkDraft` validates only what comes from the draft. */
const ANY_POSITION: Position = {
  issuer: 'witan',
  issuedAt: '2026-01-01T00:00:00.000Z',
  chainIndex: 0,
  prevHash: '0'.repeat(64),
};

/**
 * Returns the draft if it is valid; otherwise throws INVALID_REQUEST. Drafts are checked before
 * they join a commit, because one that cannot be signed would fail the whole commit.
 */
export const checkDraft = (draft: Draft | CertificateDraft | undefined): CertificateDraft => {
  if (!isComplete(draft)) {
    throw invalidRequest('A draft needs address, egress, answer with usage, and routing.');
  }
  if (!textsOf(draft).every((text) => text.isWellFormed())) {
    throw invalidRequest('The draft holds a text that is not well-formed Unicode.');
  }
  try {
    parsePayload(toPayload(draft, ANY_POSITION));
  } catch (error) {
    if (error instanceof ProofError)
      throw invalidRequest(`The draft is not valid: ${error.message}`);
    throw error;
  }
  return draft;
};

const isComplete = (draft: Draft | CertificateDraft | undefined): draft is CertificateDraft =>
  Boolean(draft?.address && draft.egress && draft.answer?.usage && draft.routing);

const textsOf = ({ address, egress, grounding }: CertificateDraft): string[] => [
  address.requested,
  address.agent,
  egress.provider,
  egress.model,
  ...egress.categories,
  ...(grounding?.passages ?? []).flatMap(({ source, chunkId }) => [source, chunkId]),
];
