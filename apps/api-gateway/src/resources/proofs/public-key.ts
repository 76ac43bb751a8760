import { createPublicKey } from 'node:crypto';
import { unavailable } from '@witan/contracts';
import type { CertificateService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { CALL_TIMEOUT_MS } from '../../http/call-timeout.ts';
import type { Route } from '../../http/route.ts';
import { encodeKey } from './encode-certificate.ts';
import { PUBLIC_KEY } from './proof-schema.ts';

/** Seconds for which caches may store the public key, so that clients get a rotated key soon. */
const MAX_AGE_S = 60;
/** Length of the raw key at the end of an SPKI-encoded Ed25519 key (RFC 8410). */
const RAW_KEY_BYTES = 32;

export const publicKeyRoute = (certificates: Client<typeof CertificateService>): Route => ({
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
        keys: keys.map(encodeKey),
      },
    };
  },
});

const rawBase64 = (pem: string): string =>
  createPublicKey(pem)
    .export({ type: 'spki', format: 'der' })
    .subarray(-RAW_KEY_BYTES)
    .toString('base64');
