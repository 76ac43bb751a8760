import { describe, expect, it } from '@jest/globals';
import { readCompanyName, toCompanyName } from './council-play.ts';

describe('the name of a company', () => {
  it.each([1, 7, 10, 123, 907])('encodes the number %d without a digit', (number) => {
    const name = toCompanyName(number);
    expect(name).toMatch(/^Company [a-z]+$/);
    expect(readCompanyName(`{"name":"${name}"}`)).toBe(number);
  });

  it('is not found in a prompt without one', () => {
    expect(readCompanyName('Question 3: shall we?')).toBeNaN();
  });
});
