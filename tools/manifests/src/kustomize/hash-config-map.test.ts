import { describe, expect, it } from '@jest/globals';
import { hashConfigMap } from './compose.ts';

/** Hashes computed by kustomize 5.5. */
const KUSTOMIZE_HASHES: readonly [what: string, data: Record<string, string>, hash: string][] = [
  ['plain text', { LOG_LEVEL: 'info', METERING: 'unmetered' }, '2bbc7hb89b'],
  ['another order', { METERING: 'unmetered', LOG_LEVEL: 'info' }, '2bbc7hb89b'],
  [
    'HTML characters, other scripts, empty values',
    { B: "<a href='x'>&amp;", A: 'ü\u2028 = é', Z: '' },
    'f8dgbc89m7',
  ],
];

describe('hashConfigMap', () => {
  it.each(KUSTOMIZE_HASHES)('equals the hash of kustomize: %s', (_what, data, hash) => {
    expect(hashConfigMap(data)).toBe(hash);
  });
});
