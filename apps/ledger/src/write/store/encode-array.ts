// Arrays in PostgreSQL's binary format, in which `pg` sends a parameter that is a Buffer. In the
// text format each element would be escaped, parsed and decoded, a seventh of PostgreSQL's CPU of a
// large commit.

type ElementType<T> = {
  /** Object id of the type in `pg_type`. */
  oid: number;
  byteLength: (value: T) => number;
  write: (array: Buffer, value: T, offset: number) => void;
};

const DIMENSIONS_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;

const createEncoder =
  <T>({ oid, byteLength, write }: ElementType<T>) =>
  (values: readonly (T | null)[]): Buffer => {
    const lengths = values.map((value) => (value === null ? NULL_LENGTH : byteLength(value)));
    const size = lengths.reduce((sum, length) => sum + LENGTH_BYTES + Math.max(length, 0), 0);
    const array = Buffer.allocUnsafe(DIMENSIONS_BYTES + size);
    array.writeInt32BE(1, 0);
    array.writeInt32BE(values.includes(null) ? 1 : 0, 4);
    array.writeInt32BE(oid, 8);
    array.writeInt32BE(values.length, 12);
    // The lower bound: the index of the first element.
    array.writeInt32BE(1, 16);
    let offset = DIMENSIONS_BYTES;
    for (const [index, value] of values.entries()) {
      const length = lengths[index]!;
      offset = array.writeInt32BE(length, offset);
      if (value === null) continue;
      write(array, value, offset);
      offset += length;
    }
    return array;
  };

export const encodeTexts = createEncoder<string>({
  oid: 25,
  byteLength: (text) => Buffer.byteLength(text),
  write: (array, text, offset) => array.write(text, offset),
});

export const encodeByteStrings = createEncoder<Uint8Array>({
  oid: 17,
  byteLength: (bytes) => bytes.length,
  write: (array, bytes, offset) => array.set(bytes, offset),
});

/** Encodes texts as `bytea` that contains their UTF-8. */
export const encodeUtf8 = createEncoder<string>({
  oid: 17,
  byteLength: (text) => Buffer.byteLength(text),
  write: (array, text, offset) => array.write(text, offset),
});

export const encodeBigints = createEncoder<bigint | number>({
  oid: 20,
  byteLength: () => 8,
  write: (array, value, offset) => array.writeBigInt64BE(BigInt(value), offset),
});

export const encodeIntegers = createEncoder<number>({
  oid: 23,
  byteLength: () => 4,
  write: (array, value, offset) => array.writeInt32BE(value, offset),
});

export const encodeBooleans = createEncoder<boolean>({
  oid: 16,
  byteLength: () => 1,
  write: (array, value, offset) => array.writeUInt8(value ? 1 : 0, offset),
});

/** PostgreSQL counts the microseconds since the start of 2000 in UTC. */
const TIMESTAMP_EPOCH_MS = Date.UTC(2000, 0);

/** Encodes times in milliseconds since 1970 as `timestamptz`. */
export const encodeTimes = createEncoder<number>({
  oid: 1184,
  byteLength: () => 8,
  write: (array, time, offset) =>
    array.writeBigInt64BE(BigInt(time - TIMESTAMP_EPOCH_MS) * 1_000n, offset),
});
