import { createPublicKey, verify } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { canonicalJson, commitmentText } from './commitment.ts';
import { createEd25519, ed25519, isPrimeOrderPoint } from './ed25519.ts';
import { pemOf } from './keys.ts';

// Published test vectors that are not part of this repository. WITAN_VECTORS names the folder that
// contains `vectors/`; by default it is ../shared/data next to the repository.
const repository = fileURLToPath(new URL('../../../', import.meta.url));
const folder = `${process.env['WITAN_VECTORS'] ?? `${repository}../shared/data`}/vectors`;
const isPresent = existsSync(folder);
const describePublic = isPresent ? describe : describe.skip;
const skippedSuffix = isPresent ? '' : ' (skipped: the folder in WITAN_VECTORS has no vectors/)';
if (!isPresent) process.stderr.write(`libs/proof: public vectors${skippedSuffix}\n`);

const readText = (path: string) => readFileSync(`${folder}/${path}`, 'utf8');
const fromHex = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));

type Signed = { signature: Uint8Array; message: Uint8Array; publicKey: Uint8Array };

const verifiers = [ed25519.verify, createEd25519(undefined).verify];

/**
 * Verifies three times with node:crypto and with the equation, because the code differs: before a
 * valid key is cached, while its multiplication table is built, and with the table.
 */
function verifyRepeatedly(signed: Signed): boolean {
  const results = [1, 2, 3].flatMap(() => verifiers.map((verifier) => verifier(signed)));
  if (new Set(results).size !== 1) throw new Error(`the results differ: ${results.join(', ')}`);
  return results[0]!;
}

function verifyWithOpenssl({ signature, message, publicKey }: Signed): boolean {
  try {
    return verify(null, message, createPublicKey(pemOf(publicKey)), signature);
  } catch {
    return false;
  }
}

describePublic(`RFC 8785 vectors${skippedSuffix}`, () => {
  it.each(['arrays', 'french', 'structures', 'unicode', 'values', 'weird'])(
    'match for %s',
    (name) => {
      const text = commitmentText(JSON.parse(readText(`jcs/input/${name}.json`)));
      expect(text).toBe(readText(`jcs/output/${name}.json`).trimEnd());
      const hex = readText(`jcs/outhex/${name}.txt`).replaceAll(/\s/g, '');
      expect(Buffer.from(text).toString('hex')).toBe(hex);
    },
  );

  it('match for 10,000 numbers, written as ECMAScript does', () => {
    const lines = readText('jcs/es6testfile10k.txt').trimEnd().split('\n');
    expect(lines).toHaveLength(10_000);
    for (const line of lines) {
      const [hex = '', text = ''] = line.split(',');
      const value = Buffer.from(hex.padStart(16, '0'), 'hex').readDoubleBE();
      expect(commitmentText(value)).toBe(text);
      const isRefused = Number.isInteger(value) && !Number.isSafeInteger(value);
      expect(isRefused || canonicalJson(value) === text).toBe(true);
    }
  });
});

describePublic(`Ed25519 vectors${skippedSuffix}`, () => {
  it('of RFC 8032 are accepted', () => {
    type Row = { pk: string; msg: string; sig: string };
    const rows = JSON.parse(readText('rfc8032/ed25519_rfc8032_7_1.json')) as Row[];
    const accepted = rows.map(({ pk, msg, sig }) =>
      verifyRepeatedly({ publicKey: fromHex(pk), message: fromHex(msg), signature: fromHex(sig) }),
    );
    expect(accepted).toEqual([true, true, true, true]);
  });

  it('of Wycheproof have the expected results', () => {
    type Case = { tcId: number; msg: string; sig: string; result: string };
    type Suite = { testGroups: { publicKey: { pk: string }; tests: Case[] }[] };
    const suite = JSON.parse(readText('wycheproof/ed25519_test.json')) as Suite;
    const disagreements = suite.testGroups.flatMap(({ publicKey: { pk }, tests }) =>
      tests.filter(({ msg, sig, result }) => {
        const signed = { message: fromHex(msg), signature: fromHex(sig), publicKey: fromHex(pk) };
        return verifyRepeatedly(signed) !== (result === 'valid');
      }),
    );
    expect(suite.testGroups.flatMap(({ tests }) => tests)).toHaveLength(151);
    expect(disagreements).toEqual([]);
  });

  it('of CCTV with a key of prime order have the same results as with node:crypto', () => {
    type Row = { key: string; sig: string; msg: string };
    const rows = JSON.parse(readText('cctv/ed25519vectors.json')) as Row[];
    const allSigned = rows.map(({ key, sig, msg }) => ({
      publicKey: fromHex(key),
      message: new TextEncoder().encode(msg),
      signature: fromHex(sig),
    }));
    const primeOrder = allSigned.filter(({ publicKey }) => isPrimeOrderPoint(publicKey));
    expect([rows.length, primeOrder.length]).toEqual([914, 28]);
    expect(allSigned.filter(verifyRepeatedly)).toHaveLength(1);
    expect(primeOrder.map(verifyRepeatedly)).toEqual(primeOrder.map(verifyWithOpenssl));
    expect(primeOrder.filter(verifyRepeatedly)).toHaveLength(1);
  });
});
