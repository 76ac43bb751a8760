import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { notFound } from '@witan/contracts';
import type { CertificateSchema, ExportChainEventSchema, SigningKeySchema } from '@witan/contracts';
import type { CertificateService } from '@witan/contracts/services';
import { checkCertificate, genesisHash, rawKeyOf } from '@witan/proof';
import type { CertificateChecks } from '@witan/proof';
import type { Call, Handlers } from '@witan/service-kit';
import type { CertificateReader, SignedCertificate } from '../sign-certificates.ts';
import type { ListKeys, StoredKey } from '../../signing-key/keyring.ts';

const PAGE_SIZE = 200;

type CertificateDeps = { certificates: CertificateReader; listKeys: ListKeys; issuer: string };

type ChainMethods = 'getCertificate' | 'verifyCertificate' | 'exportChain' | 'listSigningKeys';
type ChainHandlers = Pick<Handlers<typeof CertificateService>, ChainMethods>;

export const createCertificateHandlers = (deps: CertificateDeps): ChainHandlers => ({
  getCertificate: async ({ proofId }, { workspaceId }) => ({
    certificate: toCertificate(await getCertificate(deps, workspaceId, proofId)),
  }),
  verifyCertificate: async ({ proofId }, { workspaceId }) => {
    const found = await getCertificate(deps, workspaceId, proofId);
    const keys = await deps.listKeys();
    const checks = checkCertificate(
      toJsonText(found),
      keys.map((key) => ({
        keyId: key.keyId,
        raw: rawKeyOf(key.publicKey),
        notBefore: key.notBefore.toISOString(),
        notAfter: key.notAfter?.toISOString() ?? null,
      })),
    );
    const genesis = genesisHash(deps.issuer, workspaceId);
    return {
      keyId: found.keyId,
      payloadHash: outcomeOf(checks, checks.payloadHash),
      signature: outcomeOf(checks, checks.signature),
      chain: await checkLink(deps.certificates, found, { checks, genesis }),
    };
  },
  exportChain: (_request, call) => exportChain(deps, call),
  listSigningKeys: async () => ({ keys: (await deps.listKeys()).map(toSigningKey) }),
});

const getCertificate = async (
  { certificates }: CertificateDeps,
  workspaceId: string,
  proofId: string,
): Promise<SignedCertificate> => {
  const found = await certificates.find(workspaceId, proofId);
  if (found) return found;
  throw notFound('No certificate with this id in this workspace.');
};

async function* exportChain(
  { certificates, listKeys, issuer }: CertificateDeps,
  { workspaceId, signal }: Call,
): AsyncGenerator<MessageInitShape<typeof ExportChainEventSchema>> {
  const keys = (await listKeys()).map(toSigningKey);
  const genesis = genesisHash(issuer, workspaceId);
  yield { event: { case: 'header', value: { workspaceId, issuer, genesis, keys } } };
  for (let fromIndex = 0; ;) {
    signal.throwIfAborted();
    const page = await certificates.list(workspaceId, { fromIndex, limit: PAGE_SIZE });
    if (page.length > 0) {
      yield { event: { case: 'page', value: { certificates: page.map(toCertificate) } } };
    }
    if (page.length < PAGE_SIZE) return;
    // Continues after the last index instead of counting rows, because a count would be too low
    // after a gap in the chain and repeat rows.
    fromIndex = page.at(-1)!.chainIndex + 1;
  }
}

export const toCertificate = ({
  payload,
  payloadHash,
  signature,
  keyId,
}: SignedCertificate): MessageInitShape<typeof CertificateSchema> => ({
  payload,
  payloadHash,
  signature,
  algorithm: 'Ed25519',
  keyId,
});

const toSigningKey = (key: StoredKey): MessageInitShape<typeof SigningKeySchema> => ({
  keyId: key.keyId,
  publicKey: key.publicKey,
  notBefore: timestampFromDate(key.notBefore),
  ...(key.notAfter ? { notAfter: timestampFromDate(key.notAfter) } : {}),
});

/**
 * Returns a certificate as JSON text. Inserts the stored payload without parsing it, so that the
 * verification detects invalid JSON and repeated members.
 */
const toJsonText = ({ payload, payloadHash, signature }: SignedCertificate): string => {
  const rest = { payload_hash: payloadHash, signature, algorithm: 'Ed25519' };
  return `{"payload":${payload},${JSON.stringify(rest).slice(1)}`;
};

type Outcome = { ok: boolean; detail: string };

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
