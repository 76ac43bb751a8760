import type { CertificateDraft } from '@witan/contracts';
import { newId } from '@witan/service-kit';
import type { Writer } from './open-writer.ts';

const HASH = 'ab'.repeat(32);

/** Lifetime of reservations that must not expire during a test. */
export const LONG_MS = 60_000;

export type DraftOverrides = {
  [K in keyof CertificateDraft]?: CertificateDraft[K] extends string ? string : object | undefined;
};

export const makeDraft = (
  proofId: string = newId('pf'),
  overrides: DraftOverrides = {},
): CertificateDraft => ({
  proofId,
  address: {
    requested: 'gpt-5',
    kind: 'model',
    model: 'gpt-5',
    agent: '',
    knowledge: false,
    sensitive: false,
  },
  requestSha256: HASH,
  egress: {
    provider: 'openai',
    model: 'gpt-5',
    sha256: HASH,
    masked: 0,
    categories: [],
    uninspected: 0,
  },
  answer: {
    sha256: HASH,
    finishReason: 'stop',
    usage: { promptTokens: 3, completionTokens: 1, totalTokens: 4, estimated: false },
  },
  routing: { taskType: 'chat', reason: 'passthrough' },
  lostProofId: '',
  apiKeyId: '',
  ...(overrides as object),
});

export const reserveOf = (
  workspaceId: string,
  draft: CertificateDraft,
  expiresInMs = LONG_MS,
  { amount = 0n, minimum = 0n }: { amount?: bigint; minimum?: bigint } = {},
) => ({
  workspaceId,
  action: {
    case: 'reserve' as const,
    value: { proofId: draft.proofId, amount, minimum, intent: draft, expiresInMs },
  },
});

export const appendOf = (workspaceId: string, draft: CertificateDraft, reservationId = '') => ({
  workspaceId,
  action: { case: 'append' as const, value: { draft, reservationId } },
});

export const releaseOf = (workspaceId: string, proofId: string) => ({
  workspaceId,
  action: { case: 'release' as const, value: { proofId } },
});

export const certifyOne = async (writer: Writer, workspaceId: string, draft = makeDraft()) => {
  await writer.write(reserveOf(workspaceId, draft));
  const certificate = await writer.write(appendOf(workspaceId, draft));
  return certificate!;
};
