import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { parseCertificate, verifyChain } from '@witan/proof';
import type { FinishReason } from '@witan/proof';
import type { SystemFile } from '@witan/stack';

/** The members of a certificate that the soak test checks. */
export type CertifiedCall = {
  proofId: string;
  requestSha256: string;
  egressSha256: string;
  answerSha256: string;
  finishReason: FinishReason;
};

/**
 * Exports the whole chain, verifies it, and returns the checked members of its certificates. Throws
 * ProofError if the chain is invalid.
 */
export const readCertifiedCalls = async ({
  baseUrl,
  apiKey,
}: Pick<SystemFile, 'baseUrl' | 'apiKey'>): Promise<CertifiedCall[]> => {
  const response = await fetch(`${baseUrl}/v1/proofs/export`, { headers: { 'x-api-key': apiKey } });
  if (!response.ok || !response.body) throw new Error(`The export answered ${response.status}.`);
  const input = Readable.fromWeb(response.body);
  const certified: CertifiedCall[] = [];
  const { count } = await verifyChain(collectLines(createInterface({ input }), certified));
  if (count !== certified.length)
    throw new Error(`${certified.length} lines, ${count} certificates.`);
  return certified;
};

async function* collectLines(
  lines: AsyncIterable<string>,
  certified: CertifiedCall[],
): AsyncGenerator<string> {
  let isHeader = true;
  for await (const line of lines) {
    if (!isHeader) certified.push(toCertifiedCall(line));
    isHeader = false;
    yield line;
  }
}

const toCertifiedCall = (line: string): CertifiedCall => {
  const { payload } = parseCertificate(line);
  return {
    proofId: payload.id,
    requestSha256: payload.request.sha256,
    egressSha256: payload.egress.sha256,
    answerSha256: payload.response.sha256,
    finishReason: payload.response.finishReason,
  };
};
