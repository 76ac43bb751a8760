import { notFound } from '@witan/contracts';
import type { CertificateService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import type { RequiredScope } from '../../auth/scope.ts';
import { optionsOf } from '../../http/call-options.ts';
import type { Route, RouteCall } from '../../http/route.ts';
import { encodeCertificate } from './encode-certificate.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { CERTIFICATE, VERIFICATION } from './proof-schema.ts';
import { closedObject } from '../../http/schema.ts';

type Certificates = Client<typeof CertificateService>;

/**
 * API-key scopes that allow reading certificates: the gateway's, whose calls they certify, and
 * those of the ledger, which stores them.
 */
export const PROOF_SCOPES: readonly RequiredScope[] = [
  'gateway',
  'gateway:read',
  'ledger',
  'ledger:read',
];
const LIST_DEFAULT = 100;
const LIST_MAX = 500;
const INDEX_MAX = 4_294_967_295;

const shared = { method: 'get', surface: 'native', tag: 'Proofs', scopes: PROOF_SCOPES } as const;
const PROOF_ID = /^pf_[0-9A-Za-z]{1,128}$/;
const notFoundError = DOCUMENTED_ERROR.native('No such certificate in this workspace');

export const proofRoute = (certificates: Certificates): Route => ({
  ...shared,
  id: 'getProof',
  path: '/v1/proofs/{id}',
  summary: 'Fetch a certificate',
  responses: {
    200: { description: 'The certificate', schema: CERTIFICATE },
    404: notFoundError,
  },
  handle: async (call) => {
    const request = { proofId: readProofId(call) };
    const { certificate } = await certificates.getCertificate(request, optionsOf(call));
    return { status: 200, text: encodeCertificate(certificate!) };
  },
});

export const verifyProofRoute = (certificates: Certificates, clock: () => Date): Route => ({
  ...shared,
  id: 'verifyProof',
  path: '/v1/proofs/{id}/verify',
  summary: 'Check a certificate on the server: hash, signature, link to its predecessor',
  responses: {
    200: { description: 'The outcome of each check', schema: VERIFICATION },
    404: notFoundError,
  },
  handle: async (call) => {
    const request = { proofId: readProofId(call) };
    const response = await certificates.verifyCertificate(request, optionsOf(call));
    const checks = {
      payloadHash: encodeCheck(response.payloadHash!),
      signature: encodeCheck(response.signature!),
      chain: encodeCheck(response.chain!),
    };
    return {
      status: 200,
      json: {
        valid: Object.values(checks).every(({ ok }) => ok),
        certificateId: request.proofId,
        checks,
        keyId: response.keyId,
        verifiedAt: clock().toISOString(),
      },
    };
  },
});

export const proofsRoute = (certificates: Certificates): Route => ({
  ...shared,
  id: 'listProofs',
  path: '/v1/proofs',
  summary: 'List certificates in chain order',
  query: {
    fromIndex: { type: 'integer', minimum: 0, maximum: INDEX_MAX },
    limit: { type: 'integer', minimum: 1, maximum: LIST_MAX },
  },
  responses: {
    200: {
      description: 'The certificates',
      schema: closedObject({ proofs: { type: 'array', items: CERTIFICATE } }),
    },
    400: DOCUMENTED_ERROR.native('fromIndex or limit is out of range'),
  },
  handle: async (call) => {
    const { fromIndex = 0, limit = LIST_DEFAULT } = call.query as Partial<Record<string, number>>;
    const response = await certificates.listCertificates({ fromIndex, limit }, optionsOf(call));
    const proofs = response.certificates.map(encodeCertificate).join(',');
    return { status: 200, text: `{"proofs":[${proofs}]}` };
  },
});

const encodeCheck = ({ ok, detail }: { ok: boolean; detail: string }) =>
  detail ? { ok, detail } : { ok };

const readProofId = ({ params }: RouteCall): string => {
  if (PROOF_ID.test(params.id!)) return params.id!;
  throw notFound('There is no such certificate in this workspace.');
};
