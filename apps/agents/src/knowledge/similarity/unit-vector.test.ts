import { describe, expect, it } from '@jest/globals';
import {
  DIMENSIONS_MAX,
  fromBytes,
  toBytes,
  toCode,
  toCosine,
  toUnitVector,
} from './unit-vector.ts';

describe('a unit vector', () => {
  it('has length 1 and keeps its direction', () => {
    const vector = toUnitVector([3, 0, -4])!;
    expect([...vector]).toEqual([0.6, 0, -0.8].map(Math.f16round));
    expect(toCosine(vector, vector)).toBeCloseTo(1, 3);
    expect(toCosine(vector, toUnitVector([4, 0, 3])!)).toBeCloseTo(0, 3);
  });

  it.each<[string, number[]]>([
    ['no numbers', []],
    ['zeros', [0, 0]],
    ['a number that is not finite', [1, Number.NaN]],
    ['too many numbers', Array.from({ length: DIMENSIONS_MAX + 1 }, () => 1)],
  ])('does not exist for %s', (_name, numbers) => {
    expect(toUnitVector(numbers)).toBeUndefined();
  });

  it('has a code of its signs', () => {
    expect(toCode(toUnitVector([1, -1, 0, 0.5])!)).toBe('1001');
  });

  it('survives as bytes, little-endian and at any offset', () => {
    const vector = toUnitVector([1, -2, 3])!;
    const bytes = toBytes(vector);
    const shifted = new Uint8Array(bytes.length + 1);
    shifted.set(bytes, 1);
    expect(fromBytes(shifted.subarray(1))).toEqual(vector);
    expect(new DataView(bytes.buffer).getFloat16(2, true)).toBe(vector[1]);
  });
});
