import { describe, expect, it } from '@jest/globals';
import { newId } from './new-id.ts';

describe('newId', () => {
  it('makes ids that are unique and of one shape', () => {
    const ids = Array.from({ length: 10_000 }, () => newId('pf'));
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^pf_[0-9A-Za-z]{22}$/);
  });

  it('makes ids that sort by time', async () => {
    const first = newId('pf');
    const start = Date.now();
    while (Date.now() === start);
    expect(newId('pf') > first).toBe(true);
  });
});
