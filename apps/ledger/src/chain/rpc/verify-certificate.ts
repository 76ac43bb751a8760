import { notFound } from '@witan/contracts';
import type { CertificateService } from '@witan/contracts/services';
import { checkCertificate, genesisHash, rawKeyOf } from '@witan/proof';
import type { CertificateChecks } from '@witan/proof';
import type { Handlers } from '@witan/service-kit';
import type { CertificateReader } from '../ports.ts';
import type { SignedCertificate } from '../sign-certificates.ts';
import type { ListKeys } from '../../signing-key/stored-key.ts';

type Outcome = { ok: boolean; detail: string };

export const createVerifyCertificate =
  (
    certificates: CertificateReader,
    listKeys: ListKeys,
    issuer: string,
  ): Handlers<typeof CertificateService>['verifyCertificate'] =>
  async ({ proofId }, { workspaceId }) => {
    const found = await certificates.find(workspaceId, proofId);
    if (!found) throw notFound('No certificate with this id in this workspace.');
    const keys = await listKeys();
    const checks = checkCertificate(
      toJsonText(found),
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
      chain: await checkLink(certificates, found, { checks, genesis }),
    };
  };

/**
 * Returns a certificate as JSON text. Inserts the stored payload without parsing it, so that the
 * verification detects invalid JSON and repeated members.
 */
const toJsonText = ({ payload, payloadHash, signature }: SignedCertificate): string => {
  const rest = { payload_hash: payloadHash, signature, algorithm: 'Ed25519' };
  return `{"payload":${payload},${JSON.stringify(rest).slice(1)}`;
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
  certificates: CertificateReader,
  { id, workspaceId, chainIndex }: SignedCertificate,
  { checks, genesis }: { checks: CertificateChecks; genesis: string },
): Promise<Outcome> => {
  if (!checks.payload) return { ok: false, detail: 'the payload cannot be read' };
  const { prevHash } = checks.payload;
  if (checks.payload.id !== id || checks.payload.chainIndex !== chainIndex) {
    return { ok: false, detail: 'the payload is that of another certificate' };
  }
  if (chainIndex === 0) {
    return prevHash === genesis
      ? { ok: true, detail: '' }
      : { ok: false, detail: 'prevHash is not the genesis hash of this workspace' };
  }
  const before = await certificates.findAt(workspaceId, chainIndex - 1);
  if (!before) return { ok: false, detail: `certificate ${chainIndex - 1} is missing` };
  return before.payloadHash === prevHash
    ? { ok: true, detail: '' }
    : { ok: false, detail: `prevHash is not the hash of certificate ${chainIndex - 1}` };
};
