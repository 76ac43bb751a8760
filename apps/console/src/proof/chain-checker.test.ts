import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { createChainChecker } from './chain-checker.ts';
import type { ChainProgress } from './chain-checker.ts';

const VECTORS = new URL('../../../../libs/proof/vectors/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, VECTORS), 'utf8');

type Header = { chain: { keys: { keyId: string; publicKey: string }[] } };
type Proof = { payload: { id: string; chainIndex: number; issuer: string }; payload_hash: string };

const [HEADER, ...PROOFS] = read('chain.ndjson')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as unknown) as [Header, ...Proof[]];

const { keys } = HEADER.chain;
const { keyId, publicKey } = keys[0]!;

const START = {
  publicKeys: JSON.stringify({ algorithm: 'Ed25519', keyId, publicKey, keys }),
  workspaceId: 'ws_01JZ8Q4T9V6W3X2Y1Z0A5B7C8D',
  fromIndex: 0,
};

const check = (proofs: readonly unknown[], start: Partial<typeof START> = {}): ChainProgress =>
  createChainChecker({ ...START, ...start })(proofs);

describe('createChainChecker', () => {
  it('passes a whole chain, in pages of any size', () => {
    const checkNext = createChainChecker(START);
    const head = PROOFS.at(-1)!.payload_hash;
    for (const [at, proof] of PROOFS.entries()) expect(checkNext([proof]).checked).toBe(at + 1);
    expect(checkNext([])).toEqual({ checked: PROOFS.length, head, broken: undefined });
  });

  it('passes a stretch that begins inside the chain', () => {
    const progress = check(PROOFS.slice(2), { fromIndex: 2 });
    expect(progress).toMatchObject({ checked: PROOFS.length - 2, broken: undefined });
  });

  const changed = (at: number): unknown[] =>
    PROOFS.with(at, {
      ...PROOFS[at]!,
      payload: { ...PROOFS[at]!.payload, chainIndex: PROOFS[at]!.payload.chainIndex + 9 },
    });

  const broken: [string, readonly unknown[], Partial<typeof START>, number][] = [
    ['a changed certificate', changed(3), {}, 3],
    ['a missing certificate', PROOFS.toSpliced(2, 1), {}, 2],
    ['a repeated certificate', PROOFS.toSpliced(2, 0, PROOFS[1]!), {}, 2],
    ['a chain of another workspace', PROOFS, { workspaceId: 'ws_other' }, 0],
    ['a stretch that begins too late', PROOFS.slice(3), { fromIndex: 2 }, 2],
    ['something that is no certificate', [PROOFS[0], {}], {}, 1],
  ];

  it('finds an id that comes twice', () => {
    const chains = JSON.parse(read('invalid-chains.json')) as { name: string; lines: string[] }[];
    const { lines } = chains.find(({ name }) => name === 'an id twice')!;
    const proofs = lines.slice(1).map((line) => JSON.parse(line) as unknown);
    const detail = expect.stringContaining('comes a second time');
    expect(check(proofs).broken).toMatchObject({ index: 1, detail });
  });

  it.each(broken)('names the position of %s', (_name, proofs, start, index) => {
    expect(check(proofs, start).broken).toMatchObject({ index, detail: expect.any(String) });
  });

  it('checks nothing after a broken link', () => {
    const checkNext = createChainChecker(START);
    const progress = checkNext(changed(1));
    expect(progress).toMatchObject({ checked: 1, broken: { proofId: PROOFS[1]!.payload.id } });
    expect(checkNext(PROOFS.slice(1))).toEqual(progress);
  });
});
