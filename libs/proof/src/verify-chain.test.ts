import { describe, expect, it } from '@jest/globals';
import { failureOf, reasonOf } from '../test/reason-of.ts';
import { vectorText } from '../test/vector-file.ts';
import type { InvalidChain } from '../vectors/invalid-chains.ts';
import {
  certify,
  chainHeader,
  chainLines,
  exampleChain,
  examplePayload,
  ISSUER,
  OLD_KEY,
  testKey,
  WORKSPACE_ID,
} from '../vectors/samples.ts';
import {
  genesisHash,
  createChainVerifier,
  verifyChain,
  verifyChainDocument,
} from './verify-chain.ts';
import type { Certificate } from './certificate.ts';
import { ProofError } from './errors.ts';
import { parsePublicKeys } from './keys.ts';

const ndjson = vectorText('chain.ndjson');
const lines = ndjson.split('\n');
const invalid = JSON.parse(vectorText('invalid-chains.json')) as InvalidChain[];
const keys = parsePublicKeys(vectorText('public-key.json'));

async function failureOfChain(run: Promise<unknown>) {
  try {
    await run;
    return undefined;
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    return { reason: error.reason, index: error.index };
  }
}

describe('genesisHash', () => {
  it('binds a chain to its issuer and workspace', () => {
    // The expected hash is the output of: printf
    // 'witan-chain/v1\nwitan\nws_01JZ8Q4T9V6W3X2Y1Z0A5B7C8D' | sha256sum
    expect(genesisHash(ISSUER, WORKSPACE_ID)).toBe(
      'ff48008e33c6b9eddfd9deaf64d13bb8e56180aa7c96a3ce615339288e2ccace',
    );
  });
});

describe('verifyChain', () => {
  it('returns the properties of a valid chain', async () => {
    expect(await verifyChain(lines, { keys })).toEqual({
      workspaceId: WORKSPACE_ID,
      issuer: ISSUER,
      count: 6,
      head: exampleChain()[5]?.payload_hash,
      keySource: 'given',
    });
  });

  it('reports that the keys came from the export', async () => {
    expect((await verifyChain(lines)).keySource).toBe('header');
  });

  it('prefers given keys to those of the export', async () => {
    const otherKey = testKey('stranger', { notBefore: '2026-01-01T00:00:00.000Z', notAfter: null });
    const otherKeys = parsePublicKeys(otherKey.row.publicKey);
    expect(await failureOfChain(verifyChain(lines, { keys: otherKeys }))).toEqual({
      reason: 'signature',
      index: 0,
    });
  });

  it('verifies an export from an async iterable', async () => {
    async function* arrivingLines() {
      yield* lines;
    }
    expect((await verifyChain(arrivingLines())).count).toBe(6);
  });

  it('accepts an empty chain, and refuses an empty export', async () => {
    expect(await verifyChain(lines.slice(0, 1))).toMatchObject({ count: 0, head: undefined });
    expect((await failureOfChain(verifyChain([])))?.reason).toBe('chain_header');
  });

  it.each(invalid.map((variant) => [variant.name, variant] as const))(
    'refuses %s',
    async (_name, variant) => {
      const { reason, index } = variant;
      expect(await failureOfChain(verifyChain(variant.lines))).toEqual({ reason, index });
    },
  );

  it.each([
    ['not JSON', '{', 'not_json'],
    ['null', 'null', 'schema'],
    ['a second header', lines[0] as string, 'schema'],
  ])('reports the index of a line that is %s', async (_name, line, reason) => {
    const broken = lines.with(3, line);
    expect(await failureOfChain(verifyChain(broken))).toEqual({ reason, index: 2 });
  });

  it.each([
    ['a broken line', '{'],
    ['a missing certificate', ''],
    ['another version', (lines[5] as string).replace('"v":1', '"v":2')],
  ])('reports a wrong signature before %s that follows it', async (_name, line) => {
    const { signature } = exampleChain()[1] as Certificate;
    const forged = JSON.stringify({ ...exampleChain()[2], signature });
    const broken = lines.with(3, forged).with(5, line);
    expect(await failureOfChain(verifyChain(broken))).toEqual({ reason: 'signature', index: 2 });
  });

  it('reports the first of two wrong signatures in a chain of hundreds', async () => {
    const chain: Certificate[] = [];
    const { key, payload: example } = { key: OLD_KEY, payload: examplePayload() };
    for (let chainIndex = 0; chainIndex < 300; chainIndex += 1) {
      const prevHash = chain.at(-1)?.payload_hash ?? example.prevHash;
      const id = `${example.id}${chainIndex}`;
      chain.push(certify({ ...example, id, chainIndex, prevHash }, key));
    }
    const toLines = (items: readonly unknown[]) =>
      [{ chain: chainHeader() }, ...items].map((line) => JSON.stringify(line));
    expect((await verifyChain(toLines(chain))).count).toBe(300);
    const { signature } = chain[0]!;
    const forged = chain.with(203, { ...chain[203]!, signature });
    for (const second of [204, 230, 299]) {
      const failure = await failureOfChain(
        verifyChain(toLines(forged.with(second, { ...chain[second]!, signature }))),
      );
      expect(failure).toEqual({ reason: 'signature', index: 203 });
    }
  });

  it('detects a truncated end only with an expected count or head', async () => {
    const cut = chainLines().slice(0, -1);
    const head = exampleChain()[5]?.payload_hash as string;
    expect((await verifyChain(cut)).count).toBe(5);
    for (const options of [{ expectedCount: 6 }, { expectedHead: head }]) {
      expect(await failureOfChain(verifyChain(lines, options))).toBeUndefined();
      expect(await failureOfChain(verifyChain(cut, options))).toEqual({
        reason: 'truncated',
        index: 5,
      });
    }
  });

  it('accepts a chain that is longer than expected', async () => {
    const recordedOptions = { expectedCount: 3, expectedHead: exampleChain()[2]?.payload_hash };
    expect((await verifyChain(lines, recordedOptions)).count).toBe(6);
  });
});

describe('verifyChainDocument', () => {
  it('verifies the JSON form of an export', () => {
    expect(verifyChainDocument(vectorText('chain.json'), { keys })).toMatchObject({ count: 6 });
  });

  it('reports the first bad index', () => {
    const proofs = exampleChain().toSpliced(1, 1);
    const failure = failureOf(() =>
      verifyChainDocument(JSON.stringify({ chain: chainHeader(), proofs })),
    );
    expect(failure).toMatchObject({ reason: 'hole', index: 1 });
  });

  it.each(['', '[]', '{"chain":{}}', '{"proofs":[]}'])('refuses %j', (text) => {
    expect(reasonOf(() => verifyChainDocument(text))).toBe('chain_header');
  });
});

describe('createChainVerifier', () => {
  it('detects a missing certificate at any index', () => {
    for (let missing = 0; missing < 5; missing += 1) {
      const verifier = createChainVerifier(chainHeader());
      const rest = exampleChain().toSpliced(missing, 1);
      expect(failureOf(() => rest.forEach((c) => verifier.add(c)))).toMatchObject({
        reason: 'hole',
        index: missing,
      });
    }
  });
});
