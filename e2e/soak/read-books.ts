import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { parseCertificate, verifyChain } from '@witan/proof';
import type { FinishReason } from '@witan/proof';
import type { SystemFile } from '@witan/stack';

/** The members of a certificate that the soak checks. */
export type Booked = {
  proofId: string;
  requestSha256: string;
  egressSha256: string;
  answerSha256: string;
  finishReason: FinishReason;
};

/** Exports the whole chain and verifies every certificate and link. */
export const readBooks = async ({
  baseUrl,
  apiKey,
}: Pick<SystemFile, 'baseUrl' | 'apiKey'>): Promise<Booked[]> => {
  const response = await fetch(`${baseUrl}/v1/proofs/export`, { headers: { 'x-api-key': apiKey } });
  if (!response.ok || !response.body) throw new Error(`The export answered ${response.status}.`);
  const input = Readable.fromWeb(response.body);
  const booked: Booked[] = [];
  const { count } = await verifyChain(keepLines(createInterface({ input }), booked));
  if (count !== booked.length) throw new Error(`${booked.length} lines, ${count} certificates.`);
  return booked;
};

async function* keepLines(lines: AsyncIterable<string>, booked: Booked[]): AsyncGenerator<string> {
  let isHeader = true;
  for await (const line of lines) {
    if (!isHeader) booked.push(toBooked(line));
    isHeader = false;
    yield line;
  }
}

const toBooked = (line: string): Booked => {
  const { payload } = parseCertificate(line);
  return {
    proofId: payload.id,
    requestSha256: payload.request.sha256,
    egressSha256: payload.egress.sha256,
    answerSha256: payload.response.sha256,
    finishReason: payload.response.finishReason,
  };
};
