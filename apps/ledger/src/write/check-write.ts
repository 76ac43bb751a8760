import { invalidRequest } from '@witan/contracts';
import type { CertificateDraft } from '@witan/contracts';
import type { LedgerWrite, Reserve } from './ledger-write.ts';

/** Maximum amount of a reserve, in tokens: the sum of a hundred such amounts is a safe integer. */
const AMOUNT_MAX = 10_000_000_000_000n;
const EXPIRES_MAX_MS = 24 * 60 * 60_000;
const PROOF_ID = /^pf_[A-Za-z0-9]{16,40}$/;
const WORKSPACE_ID = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Throws INVALID_REQUEST for a write that the database would refuse, because it would fail the
 * writes of others in the same commit. Does not check what `checkDraft` checks.
 */
export const checkWrite = (write: LedgerWrite): LedgerWrite => {
  if (!WORKSPACE_ID.test(write.workspaceId)) {
    throw invalidRequest('A write needs one workspace id.');
  }
  if (!PROOF_ID.test(write.proofId)) throw invalidProofId();
  if (write.kind === 'reserve') checkReserve(write);
  if (write.kind === 'append') {
    if (!PROOF_ID.test(write.reservationId)) throw invalidProofId();
    checkCounts(write.draft);
  }
  return write;
};

const checkReserve = ({ proofId, amount, minimum, expiresInMs, intent }: Reserve): void => {
  if (!Number.isInteger(expiresInMs) || expiresInMs < 1 || expiresInMs > EXPIRES_MAX_MS) {
    throw invalidRequest(`A reserve needs 1 to ${EXPIRES_MAX_MS} ms to live.`);
  }
  if (minimum < 0n || amount < minimum || amount > AMOUNT_MAX) {
    throw invalidRequest(`A reserve needs 0 <= minimum <= amount <= ${AMOUNT_MAX}.`);
  }
  if (!intent) return;
  if (intent.proofId !== proofId) {
    throw invalidRequest("A reserve's intent must carry the proof id of the reserve.");
  }
  if (intent.lostProofId && !PROOF_ID.test(intent.lostProofId)) throw invalidProofId();
  checkCounts(intent);
};

const checkCounts = ({ answer: { usage }, durationMs = 0 }: CertificateDraft): void => {
  const { promptTokens, completionTokens, totalTokens } = usage;
  const { cachedTokens = 0, cacheWriteTokens = 0 } = usage;
  const areCounts =
    isCount(promptTokens) &&
    isCount(completionTokens) &&
    isCount(totalTokens) &&
    isCount(cachedTokens) &&
    isCount(cacheWriteTokens) &&
    isCount(durationMs);
  if (!areCounts) throw invalidRequest('A draft needs integers from 0 to 2^53-1 as counts.');
};

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

const invalidProofId = () => invalidRequest('A write needs proof ids (pf_...).');
