import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { findLogViolations } from './find-log-violations.ts';
import type { LogEvidence } from './find-log-violations.ts';

const VECTORS = new URL('../../../libs/proof/vectors/tlog/', import.meta.url);
type Checkpoints = {
  vkey: string;
  witnesses: { vkey: string }[];
  checkpoints: { size: number; text: string; signed: string; cosigned: string }[];
};
const vectors = JSON.parse(
  readFileSync(new URL('checkpoints.json', VECTORS), 'utf8'),
) as Checkpoints;
const one = vectors.checkpoints.find(({ size }) => size === 1)!;
const root = one.text.split('\n')[2]!;
const POLICY = `log ${vectors.vkey}\nwitness w ${vectors.witnesses[0]!.vkey}\nquorum w\n`;

const SOUND: LogEvidence = {
  policy: POLICY,
  certificates: 7,
  leaves: 7,
  roots: [root],
  checkpoints: [{ size: 1, note: one.cosigned }],
  seen: [{ name: 'w', size: 1, root }],
};

describe('findLogViolations', () => {
  it('finds none in a sound log', () => {
    expect(findLogViolations(SOUND)).toEqual([]);
  });

  it.each<[string, Partial<LogEvidence>, string]>([
    ['a lost certificate', { leaves: 6 }, '7 certificates, 6 leaves'],
    ['a fork', { roots: ['other'] }, 'fork: published 1 has another root'],
    [
      'a fork that a witness has seen',
      { seen: [{ name: 'w', size: 1, root: 'other' }] },
      'fork: w has seen another root of 1',
    ],
    [
      'a checkpoint without a quorum',
      { checkpoints: [{ size: 1, note: one.signed }] },
      'checkpoint 1: ProofError: quorum',
    ],
    [
      'a checkpoint under another size',
      { roots: [root, root], checkpoints: [{ size: 2, note: one.cosigned }] },
      'checkpoint 2 is of 1',
    ],
    [
      'an epoch that is not published',
      { roots: [root, 'next'] },
      'the last epoch is not published',
    ],
  ])('finds %s', (_name, change, violation) => {
    const found = findLogViolations({ ...SOUND, ...change });
    expect(found).toContainEqual(expect.stringContaining(violation));
  });
});
