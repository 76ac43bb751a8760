import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { PROVENANCE_PARTS } from '../../test/provenance-parts.ts';
import { signStatement, verifyEnvelope } from './dsse.ts';
import { toProvenance } from './to-provenance.ts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');

describe('toProvenance', () => {
  it('names the image, its files and everything that they were made from', () => {
    const { _type, subject, predicateType, predicate } = toProvenance(PROVENANCE_PARTS);
    expect([_type, predicateType]).toEqual([
      'https://in-toto.io/Statement/v1',
      'https://slsa.dev/provenance/v1',
    ]);
    expect(subject).toEqual([
      { name: 'witan/ledger:1.2.3', digest: { sha256: 'a'.repeat(64) } },
      { name: 'bundles/ledger/main.js', digest: { sha256: 'e'.repeat(64) } },
    ]);
    expect(predicate.buildDefinition.resolvedDependencies.map(({ digest }) => digest)).toEqual([
      { gitCommit: 'c'.repeat(40) },
      { sha256: 'd'.repeat(64) },
      { sha256: 'b'.repeat(64) },
    ]);
  });

  it('states local changes, and omits a digest that is not known', () => {
    const revision = `${PROVENANCE_PARTS.revision}-dirty`;
    const parts = { ...PROVENANCE_PARTS, revision, nodeImageDigest: undefined };
    const [source, , base] = toProvenance(parts).predicate.buildDefinition.resolvedDependencies;
    expect(source).toMatchObject({
      digest: { gitCommit: PROVENANCE_PARTS.revision },
      annotations: { hasLocalChanges: true },
    });
    expect(base).not.toHaveProperty('digest');
  });
});

describe('a DSSE envelope', () => {
  const statement = toProvenance(PROVENANCE_PARTS);
  const envelope = signStatement(statement, privateKey);

  it('returns the statement to the holder of the public key', () => {
    expect(verifyEnvelope(envelope, publicKey)).toEqual(statement);
  });

  it('signs the pre-authentication encoding of the protocol', () => {
    const payload = Buffer.from(envelope.payload, 'base64');
    const type = 'application/vnd.in-toto+json';
    const signed = Buffer.concat([Buffer.from(`DSSEv1 28 ${type} ${payload.length} `), payload]);
    const signature = Buffer.from(envelope.signatures[0]!.sig, 'base64');
    expect(verify(null, signed, createPublicKey(privateKey), signature)).toBe(true);
  });

  it('is refused with another key, a changed payload, another type or no signature', () => {
    const other = generateKeyPairSync('ed25519').publicKey;
    expect(() => verifyEnvelope(envelope, other)).toThrow('No signature');
    const payload = Buffer.from(JSON.stringify({ ...statement, subject: [] })).toString('base64');
    expect(() => verifyEnvelope({ ...envelope, payload }, publicKey)).toThrow('No signature');
    expect(() => verifyEnvelope({ ...envelope, payloadType: 'text/plain' }, publicKey)).toThrow(
      'text/plain',
    );
    expect(() => verifyEnvelope({ ...envelope, signatures: [] }, publicKey)).toThrow(
      'No signature',
    );
  });

  it('takes Ed25519 keys only', () => {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    expect(() => signStatement(statement, pair.privateKey)).toThrow('Ed25519');
    expect(() => verifyEnvelope(envelope, pair.publicKey)).toThrow('Ed25519');
  });
});
