import { describe, expect, it } from '@jest/globals';
import { toCompanyBase } from './company-form.ts';

const EMPTY = { sector: 'saas', currency: ' ', description: '', figures: {} } as const;

describe('the company of a form', () => {
  it('has no member for what is empty, so that it is assumed by the sector', () => {
    expect(toCompanyBase(EMPTY)).toEqual({ sector: 'saas' });
  });

  it('has the market share as a part of 1, and every other figure as given', () => {
    const figures = { revenue: 0, burn: -5, marketShare: 12, churnPct: 3 };
    expect(toCompanyBase({ ...EMPTY, currency: ' EUR', description: 'Tubas', figures })).toEqual({
      sector: 'saas',
      currency: 'EUR',
      revenue: 0,
      burn: -5,
      marketShare: 0.12,
      churnPct: 3,
      description: 'Tubas',
    });
  });
});
