import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { describeBundle } from './describe-bundle.ts';

const VECTORS = new URL('../../../../libs/proof/vectors/tlog/bundles.json', import.meta.url);
const { policies, bundles } = JSON.parse(readFileSync(VECTORS, 'utf8')) as {
  policies: Record<string, string>;
  bundles: { bundle: string }[];
};
const bundle = bundles[0]!.bundle;

describe('describeBundle', () => {
  it('names the witnessed time and the witnesses', () => {
    const { isValid, verdict, rows } = describeBundle(bundle, policies['two of three']!);
    expect([isValid, verdict]).toEqual([true, expect.stringContaining('existed at 2026-11-23')]);
    const witnesses = rows.find(({ name }) => name === 'witnesses')!;
    expect(witnesses).toMatchObject({ outcome: 'ok' });
    expect(witnesses.found).toContain('litewitness-1 at 2026-11-23');
  });

  it('says that a log without witnesses is not witnessed', () => {
    const { isValid, verdict } = describeBundle(bundle, policies['none']!);
    expect([isValid, verdict]).toEqual([true, expect.stringContaining('not witnessed')]);
  });

  it('names the check that failed, and those that were not made', () => {
    const { isValid, rows } = describeBundle(bundle, policies['another log']!);
    expect(isValid).toBe(false);
    expect(rows.map(({ outcome }) => outcome)).toEqual([
      ...['ok', 'ok', 'failed'],
      ...Array<string>(4).fill('not checked'),
    ]);
  });

  it('reports a policy that cannot be used', () => {
    const { isValid, verdict } = describeBundle(bundle, 'quorum nobody');
    expect([isValid, verdict]).toEqual([false, expect.stringContaining('cannot be used')]);
  });
});
