import { describe, expect, it } from '@jest/globals';
import { failureOf, reasonOf } from '../../test/reason-of.ts';
import { fromHex, hex, tlogVectors } from '../../test/tlog-vectors.ts';
import { formatBundle, isBundle, parseBundle } from './bundle.ts';
import { leafHash, rootOfInclusion } from './merkle.ts';
import { parseCheckpoint } from './checkpoint.ts';
import { parseNote } from './note.ts';
import { parsePolicy } from './policy.ts';
import { formatTlogProof, parseTlogProof } from './tlog-proof.ts';
import { BUNDLE_CHECKS, checkBundle, verifyBundle } from './verify-bundle.ts';

const { policies, bundles } = tlogVectors('bundles');
const policyOf = (name: string) => parsePolicy(policies[name]!);
const served = bundles[0]!.bundle;

/** Reasons of the refused vectors, as their names describe them. */
const REASONS: Record<string, string> = {
  'a log that the policy does not name': 'unknown_log',
  'one cosignature left of three': 'quorum',
  'no signature of the log': 'checkpoint',
  'a cosignature twice instead of two': 'quorum',
  'a cosignature with another time': 'checkpoint',
  'another workspace is named': 'tree_head',
  'the certificate of another workspace': 'tree',
  'the certificate before it': 'tree',
  'the tree of another workspace': 'tree',
  'the map of another workspace': 'epoch',
  'the log proof of another epoch': 'epoch',
  'another salt': 'epoch',
  'a map path that is shorter': 'epoch',
  'a map path in another order': 'epoch',
  'a hash of the tree proof left away': 'tree',
  'another index in the tree': 'tree',
  'another epoch': 'epoch',
  'an index with a leading zero': 'note',
  'a key whose window ended before': 'no_key',
  'a key that is not in the epoch': 'epoch',
  'a changed token count': 'payload_hash',
  'a member that is not known': 'schema',
  'a member twice': 'duplicate_key',
  'another version': 'schema',
};

describe('a bundle', () => {
  it.each(bundles)('has the verdict of the vectors: $name', ({ name, valid, policy, bundle }) => {
    const reason = reasonOf(() => verifyBundle(bundle, policyOf(policy)));
    expect(reason).toBe(valid ? undefined : REASONS[name]);
    expect(reason === undefined).toBe(valid);
  });

  it('tells what it proves', () => {
    const verified = verifyBundle(served, policyOf('two of three'));
    expect(verified).toMatchObject({
      workspaceId: 'ws_a',
      log: 'log.witan.example/proto',
      epoch: 708,
      logSize: 709,
      treeSize: 350,
      witnessedAt: '2026-11-23T01:05:17.000Z',
      witnesses: [{ name: 'litewitness-1' }, { name: 'litewitness-2' }, { name: 'omniwitness' }],
    });
    expect(verified.payload.chainIndex).toBe(349);
    expect(checkBundle(served, policyOf('none')).verified).toMatchObject({
      witnessedAt: undefined,
      witnesses: [],
    });
    const { checks } = checkBundle(served, policyOf('two of three'));
    expect(checks.map(({ name }) => name)).toEqual(BUNDLE_CHECKS);
  });

  it('stops at the first check that fails', () => {
    const { checks, verified } = checkBundle(served, policyOf('another log'));
    expect(checks.map(({ name, outcome }) => [name, outcome.ok])).toEqual([
      ['form', true],
      ['certificate', true],
      ['known log', false],
    ]);
    expect(verified).toBeUndefined();
  });

  it('is written as it was served', () => {
    const { certificate, ...rest } = parseBundle(served);
    const payload = /"payload":(\{.*?\}),"payload_hash"/.exec(served)![1]!;
    expect(formatBundle({ ...rest, certificate: { ...certificate, payload } })).toBe(served);
  });

  // A changed byte in the name or key id of a cosignature makes it that of an unknown witness,
  // which C2SP signed-note ignores; two of three remain. Such changes are within three lines.
  it('is refused with any byte of it changed, but for the names of its witnesses', () => {
    const policy = policyOf('two of three');
    const all = policyOf('all');
    const unexpected: [number, string][] = [];
    let refused = 0;
    for (let i = 0; i < served.length; i += 1) {
      const code = served.charCodeAt(i);
      const changed = served.slice(0, i) + String.fromCharCode(code ^ 1) + served.slice(i + 1);
      if (reasonOf(() => verifyBundle(changed, policy)) !== undefined) refused += 1;
      else if (reasonOf(() => verifyBundle(changed, all)) !== 'quorum') {
        unexpected.push([i, served.slice(i - 10, i + 10)]);
      }
    }
    expect(unexpected).toEqual([]);
    expect(refused).toBeGreaterThan(served.length - 120);
  }, 180_000);

  // The quorum was reached 4,274 ms after `issuedAt`.
  it.each([
    [5_000, undefined],
    [4_274, undefined],
    [4_273, 'witnessed_late'],
    [0, 'witnessed_late'],
  ])('is accepted or refused within %d ms', (withinMs, reason) => {
    const options = { withinMs };
    expect(reasonOf(() => verifyBundle(served, policyOf('two of three'), options))).toBe(reason);
  });

  it('without witnesses has no witnessed time', () => {
    const failure = failureOf(() => verifyBundle(served, policyOf('none'), { withinMs: 1e12 }));
    expect(failure?.reason).toBe('witnessed_late');
  });

  it('is recognized by its version member', () => {
    expect(isBundle(served)).toBe(true);
    expect(isBundle('{"witanBundle":2}')).toBe(true);
    for (const text of ['{}', '[]', 'null', 'no JSON', '"witanBundle"']) {
      expect([text, isBundle(text)]).toEqual([text, false]);
    }
  });

  it.each([
    ['a path that is no list of hashes', { map: { salt: 'A'.repeat(43) + '=', path: 'AAAA' } }],
    ['a path of 257 hashes', { map: { salt: 'A'.repeat(43) + '=', path: zeros(257 * 32) } }],
    ['a salt of 31 bytes', { map: { salt: zeros(31), path: '' } }],
    ['keys with an unknown member', { keys: [{ keyId: '0'.repeat(16), extra: 1 }] }],
  ])('cannot have %s', (_name, change) => {
    const text = JSON.stringify({ ...(JSON.parse(served) as object), ...change });
    expect(reasonOf(() => parseBundle(text))).toBe('schema');
  });

  it('cannot have extra data in its proofs', () => {
    const text = served.replace('proof@v1\\nindex', 'proof@v1\\nextra AAAA\\nindex');
    expect(reasonOf(() => verifyBundle(text, policyOf('none')))).toBe('note');
  });
});

function zeros(bytes: number): string {
  return Buffer.alloc(bytes).toString('base64');
}

describe('a tlog-proof', () => {
  it.each(tlogVectors('tlog-proofs').proofs)('equals that of torchwood: index $index', (vector) => {
    const proof = parseTlogProof(vector.proof);
    expect(formatTlogProof(proof)).toBe(vector.proof);
    expect(formatTlogProof({ ...proof, extra: 'd2l0YW4=' })).toBe(vector.withExtra);
    expect(parseTlogProof(vector.withExtra)).toEqual({ ...proof, extra: 'd2l0YW4=' });
    const { size, root } = parseCheckpoint(parseNote(proof.checkpoint).text);
    const leaf = leafHash(fromHex(vector.entry));
    const actual = rootOfInclusion({ index: vector.index, size, leaf, proof: proof.hashes });
    expect(hex(actual!)).toBe(hex(root));
  });

  it.each([
    ['another header', 'c2sp.org/tlog-proof@v2\nindex 0\n\n'],
    ['no index', 'c2sp.org/tlog-proof@v1\n\n'],
    ['no empty line', 'c2sp.org/tlog-proof@v1\nindex 0\n'],
    ['a hash of another length', 'c2sp.org/tlog-proof@v1\nindex 0\nAAAA\n\n'],
    ['65 hashes', `c2sp.org/tlog-proof@v1\nindex 0\n${`${zeros(32)}\n`.repeat(65)}\n`],
  ])('cannot have %s', (_name, text) => {
    expect(reasonOf(() => parseTlogProof(text))).toBe('note');
  });
});
