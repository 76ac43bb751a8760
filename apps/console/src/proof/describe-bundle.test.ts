import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { describeBundle, NOT_WITNESSED } from './describe-bundle.ts';

const VECTORS = new URL('../../../../libs/proof/vectors/tlog/bundles.json', import.meta.url);
const { policies, bundles } = JSON.parse(readFileSync(VECTORS, 'utf8')) as {
  policies: Record<string, string>;
  bundles: { bundle: string }[];
};
const bundle = bundles[0]!.bundle;

describe('describeBundle', () => {
  it('names the witnessed time and the witnesses', () => {
    const { tone, verdict, rows } = describeBundle(bundle, policies['two of three']!);
    expect([tone, verdict]).toEqual(['good', expect.stringContaining('existed at 2026-11-23')]);
    const witnesses = rows.find(({ name }) => name === 'witnesses')!;
    expect(witnesses).toMatchObject({ outcome: 'ok' });
    expect(witnesses.found).toContain('litewitness-1 at 2026-11-23');
  });

  it('says that a log without witnesses is not witnessed', () => {
    const { tone, verdict, rows } = describeBundle(bundle, policies['none']!);
    expect([tone, verdict]).toEqual(['warn', expect.stringContaining('not witnessed')]);
    const unchecked = rows.filter(({ outcome }) => outcome === 'not checked');
    expect(unchecked.map(({ name, found }) => [name, found])).toEqual([
      ['witnesses', NOT_WITNESSED],
      ['time', ''],
    ]);
  });

  it('names the check that failed, and those that were not made', () => {
    const { tone, rows } = describeBundle(bundle, policies['another log']!);
    expect(tone).toBe('bad');
    expect(rows.map(({ outcome }) => outcome)).toEqual([
      ...['ok', 'ok', 'failed'],
      ...Array<string>(4).fill('not checked'),
    ]);
  });

  it('reports a policy that cannot be used', () => {
    const { tone, verdict } = describeBundle(bundle, 'quorum nobody');
    expect([tone, verdict]).toEqual(['bad', expect.stringContaining('cannot be used')]);
  });
});
