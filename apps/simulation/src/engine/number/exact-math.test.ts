import { describe, expect, it } from '@jest/globals';
import { exactExp, exactLog, roundToScale, scaleFor } from './exact-math.ts';

const bits = (value: number): string => {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return view.getBigUint64(0).toString(16);
};

describe('exactLog', () => {
  it('returns the natural logarithm', () => {
    for (let x = 1e-9; x < 1e9; x *= 1.37) {
      expect(Math.abs(exactLog(x) - Math.log(x))).toBeLessThan(1e-11);
    }
  });

  it.each([
    [0.5, 'bfe62e42fefa39ef'],
    [1, '0'],
    [1.1, '3fb8663f793c46cd'],
    [10, '40026bb1bbb55514'],
  ])('returns the same bits for %d on every machine', (x, expected) => {
    expect(bits(exactLog(x))).toBe(expected);
  });
});

describe('exactExp', () => {
  it('returns the exponential', () => {
    for (let x = -20; x < 20; x += 0.173) {
      expect(Math.abs(exactExp(x) / Math.exp(x) - 1)).toBeLessThan(1e-11);
    }
  });

  it('returns a finite number', () => {
    expect(exactExp(1e308)).toBe(exactExp(40));
    expect(exactExp(-1e308)).toBe(exactExp(-40));
  });

  it.each([
    [0, '3ff0000000000000'],
    [1, '4005bf0a8b145762'],
    [-2.5, '3fb50385c094f423'],
  ])('returns the same bits for %d on every machine', (x, expected) => {
    expect(bits(exactExp(x))).toBe(expected);
  });
});

describe('fix', () => {
  it.each([
    [0.1 + 0.2, 100, 0.3],
    [1_234.567_8, 100, 1_234.57],
    [-0.001, 100, 0],
    [2 ** 60 + 256, 100, 2 ** 60 + 256],
    [-7.125, 100, -7.12],
  ])('rounds %d in steps of 1/%d to %d', (value, scale, expected) => {
    expect(Object.is(roundToScale(value, scale), expected)).toBe(true);
  });
});

describe('scaleFor', () => {
  it.each([
    [5_000_000, 9, 100],
    [1.2, 9, 1e8],
    [1e12, 9, 1],
  ])('returns the scale for %d with %d digits', (size, digits, expected) => {
    expect(scaleFor(size, digits)).toBe(expected);
  });
});
