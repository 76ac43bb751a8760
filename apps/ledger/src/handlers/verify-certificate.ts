import { notFound } from '@witan/contracts';
import type { CertificateService } from '@witan/contracts/services';
import { checkCertificate, genesisHash, rawKeyOf } from '@witan/proof';
import type { CertificateChecks } from '@witan/proof';
import { workspaceScope } from '@witan/service-kit';
import type { Database, Handlers, Scope } from '@witan/service-kit';
import type { SealedCertificate } from '../domain/certificate/seal-certificate.ts';
import { findCertificate, findCertificateAt } from '../storage/certificate-store.ts';
import { listSigningKeys } from '../storage/signing-key-store.ts';

type Outcome = { ok: boolean; detail: string };

/** Checks a stored certificate's hash, signature and link to its predecessor (Seed 4.6). */
export const createVerifyCertificate =
  (database: Database, issuer: string): Handlers<typeof CertificateService>['verifyCertificate'] =>
  async ({ proofId }, { workspaceId }) => {
    const scope = workspaceScope(workspaceId);
    const found = await findCertificate(database, scope, proofId);
    if (!found) throw notFound('No certificate with this id in this workspace.');
    const keys = await listSigningKeys(database);
    const checks = checkCertificate(
      {
        payload: JSON.parse(found.payload),
        payload_hash: found.payloadHash,
        signature: found.signature,
        algorithm: 'Ed25519',
      },
      keys.map((key) => ({
        keyId: key.keyId,
        raw: rawKeyOf(key.publicKey),
        notBefore: key.notBefore.toISOString(),
        notAfter: key.notAfter?.toISOString() ?? null,
      })),
    );
    const genesis = genesisHash(issuer, workspaceId);
    return {
      keyId: found.keyId,
      payloadHash: outcomeOf(checks, checks.payloadHash),
      signature: outcomeOf(checks, checks.signature),
      chain: await checkLink(database, scope, found, genesis),
    };
  };

const outcomeOf = (
  { schema }: CertificateChecks,
  check: CertificateChecks['payloadHash'],
): Outcome => {
  if (!schema.ok) return { ok: false, detail: schema.error.message };
  if (!check || check.ok) return { ok: true, detail: '' };
  return { ok: false, detail: check.error.message };
};

const checkLink = async (
  database: Database,
  scope: Scope,
  { chainIndex, payload }: SealedCertificate,
  genesis: string,
): Promise<Outcome> => {
  const { prevHash } = JSON.parse(payload) as { prevHash: string };
  if (chainIndex === 0) {
    return prevHash === genesis
      ? { ok: true, detail: '' }
      : { ok: false, detail: 'prevHash is not the genesis hash of this workspace' };
  }
  const before = await findCertificateAt(database, scope, chainIndex - 1);
  if (!before) return { ok: false, detail: `certificate ${chainIndex - 1} is missing` };
  return before.payloadHash === prevHash
    ? { ok: true, detail: '' }
    : { ok: false, detail: `prevHash is not the hash of certificate ${chainIndex - 1}` };
};
