import { createPublicKey, verify } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { failureOf, reasonOf } from '../test/reason-of.ts';
import { vectorText } from '../test/vector-file.ts';
import type { InvalidCertificate } from '../vectors/invalid-certificates.ts';
import { exampleChain, NEW_KEY, OLD_KEY, certify } from '../vectors/samples.ts';
import { parseCertificate, parsePayload } from './certificate.ts';
import type { Certificate } from './certificate.ts';
import { parsePublicKeys } from './keys.ts';
import { checkCertificate, verifyCertificate } from './verify-certificate.ts';

const keys = parsePublicKeys(vectorText('public-key.json'));
const compactText = vectorText('certificate.json');
const invalid = JSON.parse(vectorText('invalid-certificates.json')) as InvalidCertificate[];

describe('verifyCertificate', () => {
  it('returns the payload and the id of the signing key', () => {
    const { payload, keyId } = verifyCertificate(compactText, keys);
    expect(payload.id).toBe('pf_01JZ8Q5B2N7M4K6H8G0F3D1S9A');
    expect(keyId).toBe(OLD_KEY.row.keyId);
  });

  it('accepts text, bytes or a value, compact or not', () => {
    const value = JSON.parse(compactText) as Certificate;
    const spread = JSON.stringify(value, null, 2);
    for (const source of [compactText, new TextEncoder().encode(compactText), value, spread]) {
      expect(reasonOf(() => verifyCertificate(source, keys))).toBeUndefined();
    }
  });

  it('accepts a single key, as PEM or as base64', () => {
    const raw = Buffer.from(OLD_KEY.raw).toString('base64');
    for (const key of [vectorText('public-key.pem'), raw, `${raw}\n`]) {
      expect(verifyCertificate(compactText, parsePublicKeys(key)).keyId).toBe(OLD_KEY.row.keyId);
    }
  });

  it('tries every key whose window includes issuedAt, both ends inclusive', () => {
    const signers = exampleChain().map((certificate) => verifyCertificate(certificate, keys).keyId);
    const [oldKeyId, nextKeyId] = [OLD_KEY.row.keyId, NEW_KEY.row.keyId];
    expect(signers).toEqual([oldKeyId, oldKeyId, oldKeyId, oldKeyId, nextKeyId, nextKeyId]);
    const atRotation = {
      ...parseCertificate(compactText).payload,
      issuedAt: NEW_KEY.row.notBefore,
    };
    expect(verifyCertificate(certify(atRotation, NEW_KEY), keys).keyId).toBe(nextKeyId);
  });

  it.each(invalid.map((variant) => [variant.name, variant] as const))(
    'refuses %s',
    (_name, variant) => {
      expect(reasonOf(() => verifyCertificate(variant.text, keys))).toBe(variant.reason);
    },
  );

  it('refuses text that is not UTF-8', () => {
    const bytes = new TextEncoder().encode(compactText.replace('witan', 'wit\u00e4n'));
    bytes[bytes.indexOf(0xc3)] = 0xff;
    expect(reasonOf(() => verifyCertificate(bytes, keys))).toBe('not_json');
  });

  it('refuses a lone surrogate, which UTF-8 cannot have', () => {
    const text = compactText.replace('"model":"gpt', String.raw`"model":"\ud800gpt`);
    expect(reasonOf(() => verifyCertificate(text, keys))).toBe('schema');
  });

  it('names the invalid member', () => {
    const text = compactText.replace('"finishReason":"stop"', '"finishReason":"done"');
    const failure = failureOf(() => verifyCertificate(text, keys));
    expect(failure?.detail).toContain('payload.response.finishReason must be one of stop, ');
  });

  it('refuses every change of one byte', () => {
    const sources = [compactText, JSON.stringify(exampleChain()[5])];
    for (const source of sources) {
      const bytes = new TextEncoder().encode(source);
      expect(reasonOf(() => verifyCertificate(bytes, keys))).toBeUndefined();
      const undetected: string[] = [];
      for (let offset = 0; offset < bytes.length; offset += 1) {
        for (const byte of replacements(bytes[offset] as number)) {
          const reason = reasonOf(() => verifyCertificate(bytes.with(offset, byte), keys));
          if (reason === undefined) undetected.push(`${offset}: ${bytes[offset]} -> ${byte}`);
        }
      }
      expect(undetected).toEqual([]);
    }
  }, 120_000);

  it('verifies signatures that node:crypto verifies, too', () => {
    for (const { payload_hash, signature } of exampleChain()) {
      const isVerified = [OLD_KEY, NEW_KEY].some(({ row }) =>
        verify(
          null,
          Buffer.from(payload_hash),
          createPublicKey(row.publicKey),
          Buffer.from(signature, 'base64'),
        ),
      );
      expect(isVerified).toBe(true);
    }
  });
});

describe('checkCertificate', () => {
  it('reports each outcome separately', () => {
    const certificate = parseCertificate(compactText);
    const changed = { ...certificate, payload: { ...certificate.payload, chainIndex: 7 } };
    const checks = checkCertificate(changed, keys);
    expect(checks.schema.ok).toBe(true);
    expect(checks.payloadHash).toMatchObject({ ok: false, error: { reason: 'payload_hash' } });
    expect(checks.signature).toEqual({ ok: true });
  });

  it('skips the other checks if the schema is wrong', () => {
    expect(checkCertificate('{}', keys)).toMatchObject({ schema: { ok: false } });
    expect(checkCertificate('{}', keys).signature).toBeUndefined();
  });
});

describe('parsePayload', () => {
  it('treats an undefined member as absent, like canonical JSON', () => {
    const { payload } = parseCertificate(compactText);
    const address = { kind: 'model', agent: undefined, knowledge: undefined };
    expect(parsePayload({ ...payload, address, grounding: undefined }).address).toBe(address);
  });

  it('refuses negative zero, which canonical JSON would write as zero', () => {
    const text = compactText.replace('"masked":0', '"masked":-0');
    expect(reasonOf(() => parseCertificate(text))).toBe('schema');
  });

  it.each(['constructor', '__proto__', 'toString'])('refuses a member named %s', (name) => {
    const text = compactText.replace('"v":1', `"v":1,"${name}":1`);
    expect(reasonOf(() => parseCertificate(text))).toBe('schema');
  });
});

/**
 * Returns the bytes that a byte could most easily be confused with: neighbours, the other case,
 * white space, punctuation.
 */
function replacements(byte: number): number[] {
  const candidates = [
    byte ^ 1,
    byte ^ 2,
    byte ^ 0x20,
    byte ^ 0x80,
    0x20,
    0x0a,
    0x22,
    0x30,
    0x2c,
    0x5c,
  ];
  return [...new Set(candidates)].filter((other) => other !== byte);
}
