import { describe, expect, it } from '@jest/globals';
import { NAME_WEIGHTS_CHECKSUM } from '../gen/name-weights.ts';
import { splitGazetteer } from './gazetteer.ts';
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
