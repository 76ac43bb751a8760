import { createPublicKey } from 'node:crypto';
import { unavailable } from '@witan/contracts';
import type { CertificateService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { CALL_TIMEOUT_MS } from '../../http/route.ts';
import { encodeAs } from '../../http/encode.ts';
import type { Route } from '../../http/route.ts';
import { closedObject } from '../../http/schema.ts';
import { PAGE_QUERY, readLimit } from '../list-page.ts';
import { nativeRoutes } from '../native-routes.ts';
import { PROOF_ID } from '../resource-id.ts';
import { bundleRoutes } from './bundles.ts';
import { listCallsRoute } from './calls.ts';
import { FILTER_QUERY, NEXT_CURSOR, readFilter } from './certificate-filter.ts';
import { encodeCertificate, exportProofsRoute, PROOF_SCOPES } from './export-proofs.ts';
import { CERTIFICATE, CURSOR, PUBLIC_KEY, SIGNING_KEY, VERIFICATION } from './proof-schema.ts';

type Certificates = Client<typeof CertificateService>;

const INDEX_MAX = 4_294_967_295;
/** Seconds for which caches may store the public key, so that clients get a rotated key soon. */
const MAX_AGE_S = 60;
/** Length of the raw key at the end of an SPKI-encoded Ed25519 key (RFC 8410). */
const RAW_KEY_BYTES = 32;

const { get, handled } = nativeRoutes('Proofs', 'gateway');

export const proofRoutes = (certificates: Certificates, clock: () => Date): Route[] => [
  handled('get', '/v1/proofs', {
    id: 'listProofs',
    summary: 'List certificates in chain order, or newest first',
    scopes: PROOF_SCOPES,
    query: {
      fromIndex: { type: 'integer', minimum: 0, maximum: INDEX_MAX },
      order: { enum: ['asc', 'desc'], description: 'asc, the order of the chain, by default' },
      ...FILTER_QUERY,
      limit: PAGE_QUERY.limit,
      cursor: CURSOR,
    },
    responses: {
      200: {
        description: 'The certificates',
        schema: closedObject(
          { proofs: { type: 'array', items: CERTIFICATE } },
          { nextCursor: NEXT_CURSOR },
        ),
      },
    },
    errors: { 400: 'fromIndex, a filter, limit or cursor is not valid' },
    handle: async ({ query, options }) => {
      const { fromIndex = 0, order, cursor = '' } = query as ProofQuery;
      const page = { fromIndex, cursor, limit: readLimit(query), newestFirst: order === 'desc' };
      const request = { ...page, filter: readFilter(query) };
      const found = await certificates.listCertificates(request, options);
      const proofs = found.certificates.map(encodeCertificate).join(',');
      const next = found.nextCursor ? `,"nextCursor":"${found.nextCursor}"` : '';
      return { status: 200, text: `{"proofs":[${proofs}]${next}}` };
    },
  }),
  listCallsRoute(certificates),
  exportProofsRoute(certificates),
  ...bundleRoutes(certificates),
  handled('get', '/v1/proofs/{id}', {
    id: 'getProof',
    summary: 'Fetch a certificate',
    scopes: PROOF_SCOPES,
    ids: { id: PROOF_ID },
    responses: { 200: { description: 'The certificate', schema: CERTIFICATE } },
    handle: async ({ ids, options }) => {
      const { certificate } = await certificates.getCertificate({ proofId: ids.id }, options);
      return { status: 200, text: encodeCertificate(certificate!) };
    },
  }),
  get('/v1/proofs/{id}/verify', {
    id: 'verifyProof',
    summary: 'Check a certificate on the server: hash, signature, link to its predecessor',
    scopes: PROOF_SCOPES,
    ids: { id: PROOF_ID },
    returns: 'The outcome of each check',
    schema: VERIFICATION,
    run: async ({ ids, options }) => {
      const response = await certificates.verifyCertificate({ proofId: ids.id }, options);
      const { payloadHash, signature, chain, keyId } = response;
      return {
        valid: [payloadHash, signature, chain].every((check) => check!.ok),
        certificateId: ids.id,
        checks: { payloadHash, signature, chain },
        keyId,
        verifiedAt: clock(),
      };
    },
  }),
  publicKeyRoute(certificates),
];

type ProofQuery = { fromIndex?: number; order?: string; cursor?: string };

/** Not a `handled` route, because it has no caller whose workspace its RPC could name. */
const publicKeyRoute = (certificates: Certificates): Route => ({
  id: 'getPublicKey',
  method: 'get',
  path: '/v1/gateway/public-key',
  surface: 'native',
  tag: 'Proofs',
  summary: 'The Ed25519 keys that certificates are verified with',
  scopes: undefined,
  responses: { 200: { description: 'The current key and all keys', schema: PUBLIC_KEY } },
  handle: async ({ requestId, signal }) => {
    const options = { requestId, signal, timeoutMs: CALL_TIMEOUT_MS };
    const { keys } = await certificates.listSigningKeys({}, options);
    const [current] = keys;
    if (!current) throw unavailable('The ledger has no signing key yet.');
    return {
      status: 200,
      headers: { 'cache-control': `public, max-age=${MAX_AGE_S}` },
      json: {
        algorithm: 'Ed25519',
        keyId: current.keyId,
        publicKey: current.publicKey,
        publicKeyRaw: rawBase64(current.publicKey),
        keys: keys.map((key) => encodeAs(SIGNING_KEY, key)),
      },
    };
  },
});

const rawBase64 = (pem: string): string =>
  createPublicKey(pem)
    .export({ type: 'spki', format: 'der' })
    .subarray(-RAW_KEY_BYTES)
    .toString('base64');
