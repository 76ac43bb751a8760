import { isServiceError } from '@witan/contracts';
import type { CertificateService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { optionsOf } from '../http/route.ts';
import type { RouteCall } from '../http/route.ts';
import type { RouteResult } from './route-result.ts';
import { isObject } from './json-rpc.ts';
import type { McpResult } from './mcp-method.ts';

export const PROOF_KEY = 'dev.witan/proof';
const ERROR_KEY = 'dev.witan/error';

type Certificates = Pick<Client<typeof CertificateService>, 'getCertificate'>;

/**
 * Certificates of a result. The first of `proofIds` covers the returned text; `payloadHash` and
 * `keyId` are its hash and the key that signed it.
 */
type ProofMeta = { proofIds: readonly string[]; payloadHash?: string; keyId?: string };

/**
 * Resolves with the metadata that names the certificates of a result; empty if it has none. If the
 * ledger cannot be read, only the ids are there, because the answer was paid for. Unless a stream
 * has begun, the response gets the header of every completion, too.
 */
export const readProofMeta = async (
  proofIds: readonly string[],
  call: RouteCall,
  certificates: Certificates,
): Promise<Readonly<Record<string, ProofMeta>>> => {
  const [proofId] = proofIds;
  if (proofId === undefined) return {};
  if (!call.response.headersSent) call.response.setHeader('x-service-proof', proofId);
  try {
    const { certificate } = await certificates.getCertificate({ proofId }, optionsOf(call));
    const { payloadHash, keyId } = certificate!;
    return { [PROOF_KEY]: { proofIds, payloadHash, keyId } };
  } catch (error) {
    if (call.signal.aborted || !isServiceError(error)) throw error;
    return { [PROOF_KEY]: { proofIds } };
  }
};

/** Returns the ids of the certificates behind a response, that of the returned text first. */
export const proofIdsOf = ({ headers, json }: Pick<RouteResult, 'headers' | 'json'>): string[] => {
  const main = headers['x-service-proof'];
  const listed = headers['x-service-proofs']?.split(', ') ?? [];
  const members = isObject(json) && Array.isArray(json.proofs) ? (json.proofs as string[]) : [];
  return [...new Set([...(main ? [main] : []), ...listed, ...members])];
};

/** Returns the result of a failed tool call: the message for the model, the error for programs. */
export const toErrorResult = (error: unknown): McpResult => {
  const { message = 'The call failed.' } = (error ?? {}) as { message?: string };
  const text = [message, ...detailsOf(error)].join('\n');
  return { content: [{ type: 'text', text }], isError: true, _meta: { [ERROR_KEY]: error } };
};

const detailsOf = (error: unknown): string[] => {
  const { details = [] } = (error ?? {}) as { details?: { path: string; message: string }[] };
  return details.length < 2 ? [] : details.map(({ path, message }) => `${path} ${message}`);
};

export const toTextResult = (
  text: string,
  structuredContent: unknown,
  meta: Readonly<Record<string, unknown>>,
): McpResult => ({
  content: [{ type: 'text', text }],
  structuredContent,
  ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
});
