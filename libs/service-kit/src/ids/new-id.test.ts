import { describe, expect, it } from '@jest/globals';
import { newId } from './new-id.ts';

describe('newId', () => {
  it('returns unique ids of one format', () => {
    const ids = Array.from({ length: 10_000 }, () => newId('pf'));
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^pf_[0-9A-Za-z]{22}$/);
  });

  it('returns ids that sort in order of creation', () => {
    const ids = Array.from({ length: 50_000 }, () => newId('pf'));
    expect(ids.toSorted()).toEqual(ids);
  });
});
