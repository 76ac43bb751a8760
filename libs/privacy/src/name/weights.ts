import { NAME_WEIGHTS } from '../gen/name-weights.ts';
import { joinGazetteer, type Gazetteer } from './gazetteer.ts';
import { LABEL_COUNT } from './find-path.ts';
import type { Gate } from './windows.ts';

export type NameWeights = {
  /** Label weights of each feature row; the number of rows is a power of two. */
  rows: Int8Array | Float32Array;
  steps: Int16Array | Float32Array;
  gazetteer: Gazetteer;
  gate: Gate;
};

/** Base64 of run-length encoded bytes: each zero is followed by the length of its run. */
type PackedWeights = Record<'rows' | 'steps' | 'prints' | 'bits' | 'gate', string>;

let shipped: NameWeights | undefined;

/** Decodes the weights of this package at the first call. They must not be modified. */
export const unpackWeights = (): NameWeights => (shipped ??= unpackAll(NAME_WEIGHTS));

const unpackAll = (packed: PackedWeights): NameWeights => {
  const steps = unpack(packed.steps);
  const pairs = new DataView(steps.buffer, steps.byteOffset, steps.byteLength);
  return {
    rows: new Int8Array(unpack(packed.rows).buffer),
    steps: Int16Array.from({ length: LABEL_COUNT * LABEL_COUNT }, (_, index) =>
      pairs.getInt16(2 * index, true),
    ),
    gazetteer: joinGazetteer(unpack(packed.prints), unpack(packed.bits)),
    gate: { rows: new Int8Array(unpack(packed.gate).buffer), threshold: 0 },
  };
};

const unpack = (text: string): Uint8Array<ArrayBuffer> => {
  const packed = atob(text);
  let length = 0;
  for (let offset = 0; offset < packed.length; offset++)
    length += packed.charCodeAt(offset) === 0 ? packed.charCodeAt(++offset) : 1;
  const bytes = new Uint8Array(length);
  let to = 0;
  for (let offset = 0; offset < packed.length; offset++) {
    const byte = packed.charCodeAt(offset);
    if (byte === 0) to += packed.charCodeAt(++offset);
    else bytes[to++] = byte;
  }
  return bytes;
};
