import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { create } from '@bufbuild/protobuf';
import { GroundingSchema } from '@witan/contracts';
import { genesisHash, rawKeyOf, verifyCertificate } from '@witan/proof';
import { makeDraft } from '../../test/drafts.ts';
import { createSigner } from '../signing-key/signer.ts';
import { signCertificates } from './sign-certificates.ts';

const NOON = Date.parse('2026-06-01T12:00:00.000Z');
const GENESIS = genesisHash('witan-test', 'ws_a');
const START = { chainIndex: -1, hash: GENESIS, issuedAt: 0 };
const signer = createSigner(generateKeyPairSync('ed25519').privateKey);

const sign = async (draft = makeDraft(), head = START) => {
  const context = { workspaceId: 'ws_a', issuer: 'witan-test', head, now: NOON };
  const signed = await signCertificates([draft], context, signer);
  return { certificate: signed.certificates[0]!, head: signed.head };
};

describe('signCertificates', () => {
  it('signs certificates that libs/proof verifies with the public key alone', async () => {
    const { certificate } = await sign();
    const keys = [
      {
        keyId: signer.keyId,
        raw: rawKeyOf(signer.publicKey),
        notBefore: '2026-01-01T00:00:00.000Z',
        notAfter: null,
      },
    ];
    const { payload, payloadHash, signature } = certificate;
    const text =
      `{"payload":${payload},"payload_hash":"${payloadHash}",` +
      `"signature":"${signature}","algorithm":"Ed25519"}`;
    expect(verifyCertificate(text, keys)).toMatchObject({ keyId: signer.keyId });
  });

  it('signs the certificates of a small commit and of a large one alike', async () => {
    const context = { workspaceId: 'ws_a', issuer: 'witan-test', head: START, now: NOON };
    const drafts = [makeDraft()];
    expect(await signCertificates(drafts, { ...context, commitSize: 100 }, signer)).toEqual(
      await signCertificates(drafts, context, signer),
    );
  });

  it('appends the certificate to the head and returns the new head', async () => {
    const first = await sign();
    const second = await sign(makeDraft(), first.head);
    expect(first.head).toEqual({
      chainIndex: 0,
      hash: first.certificate.payloadHash,
      issuedAt: NOON,
    });
    expect(JSON.parse(second.certificate.payload)).toMatchObject({
      chainIndex: 1,
      prevHash: first.certificate.payloadHash,
    });
  });

  it('writes only members of the format, and flags only when they are true', async () => {
    const grounding = create(GroundingSchema, {
      passages: [{ source: 'Handbook', chunkId: 'c1', sha256: 'ab'.repeat(32) }],
    });
    const draft = makeDraft(undefined, {
      address: { requested: 'agent:ann+knowledge', kind: 'agent', agent: 'ann', knowledge: true },
      grounding,
    });
    const payload = JSON.parse((await sign(draft)).certificate.payload) as Record<string, unknown>;
    expect(payload.address).toEqual({ kind: 'agent', agent: 'ann', knowledge: true });
    expect(payload.grounding).toEqual([
      { source: 'Handbook', chunkId: 'c1', page: null, sha256: 'ab'.repeat(32) },
    ]);
    const plain = JSON.parse((await sign()).certificate.payload) as Record<string, unknown>;
    expect(plain.address).toEqual({ kind: 'model' });
    expect(plain).not.toHaveProperty('grounding');
    expect(plain.response).not.toHaveProperty('usage.estimated');
  });

  it('preserves any well-formed Unicode text exactly', async () => {
    const requested = 'o1 "\\\u0000\u2028😀é';
    const draft = makeDraft(undefined, { address: { requested, kind: 'model', model: requested } });
    const payload = JSON.parse((await sign(draft)).certificate.payload) as {
      request: { model: string };
    };
    expect(payload.request.model).toBe(requested);
  });
});
