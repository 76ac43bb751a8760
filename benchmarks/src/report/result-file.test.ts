import { describe, expect, it } from '@jest/globals';
import { readNewestResult } from './result-file.ts';

describe('readNewestResult', () => {
  it('reads the committed results', async () => {
    expect(await readNewestResult('ledger')).toMatchObject({ benchmark: 'ledger' });
  });

  it('returns undefined for a benchmark without results', async () => {
    expect(await readNewestResult('nothing')).toBeUndefined();
  });
});
