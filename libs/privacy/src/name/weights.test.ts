import { describe, expect, it } from '@jest/globals';
import { NAME_WEIGHTS_CHECKSUM } from '../gen/name-weights.ts';
import { splitGazetteer, buildGazetteer, hashPair, lookUp } from './gazetteer.ts';
import { LABEL_COUNT, ROW_LENGTH } from './find-path.ts';
import { unpackWeights } from './weights.ts';

const bytes = ({ buffer }: { buffer: ArrayBufferLike }): Uint8Array => new Uint8Array(buffer);

describe('unpackWeights', () => {
  it('returns the weights that training wrote', () => {
    const { rows, steps, gazetteer, gate } = unpackWeights();
    let sum = 0x811c_9dc5;
    const { prints, bits } = splitGazetteer(gazetteer);
    for (const part of [rows, steps, prints, bits, gate.rows])
      for (const byte of bytes(part)) sum = Math.imul(sum ^ byte, 0x0100_0193) >>> 0;
    expect(sum).toBe(NAME_WEIGHTS_CHECKSUM);
  });

  it('has tables whose lengths are powers of two', () => {
    const { rows, steps, gazetteer, gate } = unpackWeights();
    for (const length of [rows.length / ROW_LENGTH, gazetteer.length, gate.rows.length])
      expect(Number.isInteger(Math.log2(length))).toBe(true);
    expect(steps.length).toBe(LABEL_COUNT * LABEL_COUNT);
  });
});

describe('buildGazetteer', () => {
  it('finds all its words and few other words', () => {
    const words = new Map(
      Array.from({ length: 800 }, (_, index) => [index * 2_654_435, 1 + (index % 7)]),
    );
    const table = buildGazetteer(words, 1024);
    for (const [hash, bits] of words) expect(lookUp(table, hash) & bits).toBe(bits);
    const unlisted = Array.from({ length: 1000 }, (_, index) => lookUp(table, 77 + index * 40_503));
    expect(unlisted.filter((bits) => bits !== 0).length).toBeLessThan(100);
  });

  it('rejects more words than slots', () => {
    expect(() =>
      buildGazetteer(
        new Map([
          [1, 1],
          [2, 1],
        ]),
        2,
      ),
    ).toThrow(RangeError);
  });

  it('distinguishes the order of pairs', () => {
    expect(hashPair(1, 2)).not.toBe(hashPair(2, 1));
  });
});
