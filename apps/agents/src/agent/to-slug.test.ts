import { describe, expect, it } from '@jest/globals';
import { toSlug } from './agent.ts';

describe('toSlug', () => {
  it.each([
    ['Ann', 'ann'],
    ['Head of  Strategy', 'head-of-strategy'],
    ['  Ünal & Söhne!  ', 'unal-sohne'],
    ['C.F.O. №2', 'c-f-o-no2'],
    ['Стратег', 'стратег'],
    ['戦略 顧問', '戦略-顧問'],
    ['ﬁnance', 'finance'],
    ['İstanbul', 'istanbul'],
    ['!!!', ''],
    ['', ''],
  ])('converts %j to %j', (name, slug) => {
    expect(toSlug(name)).toBe(slug);
    expect(toSlug(slug)).toBe(slug);
  });
});
