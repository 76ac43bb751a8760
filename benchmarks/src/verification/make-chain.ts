import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { canonicalJson, genesisHash, keyIdOf, pemOf } from '@witan/proof';
import type { CertificatePayload } from '@witan/proof';

export type SignedText = { message: Uint8Array; signature: Uint8Array };
export type MadeChain = {
  publicKey: KeyObject;
  /** The lines of an NDJSON export: the header, then one certificate each. */
  lines: readonly string[];
  signed: readonly SignedText[];
};

const [ISSUER, WORKSPACE_ID] = ['witan', 'ws_benchmark'] as const;

/** Returns an export with `count` certificates, as the ledger writes them for chat completions. */
export const makeChain = (count: number): MadeChain => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = new Uint8Array(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));
  const key = { keyId: keyIdOf(raw), publicKey: pemOf(raw), notBefore: null, notAfter: null };
  const genesis = genesisHash(ISSUER, WORKSPACE_ID);
  const chain = { workspaceId: WORKSPACE_ID, issuer: ISSUER, genesis, keys: [key] };
  const lines = [JSON.stringify({ chain })];
  const signed: SignedText[] = [];
  let prevHash = genesis;
  for (let chainIndex = 0; chainIndex < count; chainIndex += 1) {
    const payload = toPayload(chainIndex, prevHash);
    prevHash = sha256(canonicalJson(payload));
    const message = new TextEncoder().encode(prevHash);
    const signature = sign(null, message, privateKey);
    signed.push({ message, signature });
    const proof = { signature: signature.toString('base64'), algorithm: 'Ed25519' };
    lines.push(JSON.stringify({ payload, payload_hash: prevHash, ...proof }));
  }
  return { publicKey, lines, signed };
};

const toPayload = (chainIndex: number, prevHash: string): CertificatePayload => ({
  v: 1,
  id: `pf_${String(chainIndex).padStart(26, '0')}`,
  issuer: ISSUER,
  issuedAt: new Date(Date.UTC(2026, 0, 1) + chainIndex).toISOString(),
  chainIndex,
  prevHash,
  request: { model: 'gpt-4o-mini', sha256: sha256(`request ${chainIndex}`) },
  address: { kind: 'model' },
  egress: {
    provider: 'openai',
    model: 'gpt-4o-mini',
    sha256: sha256(`egress ${chainIndex}`),
    pii: { masked: 2, categories: ['EMAIL', 'PHONE'] },
  },
  response: {
    sha256: sha256(`response ${chainIndex}`),
    finishReason: 'stop',
    usage: { promptTokens: 130, completionTokens: 40, totalTokens: 170 },
  },
  routing: { taskType: 'chat', reason: 'passthrough' },
});

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
