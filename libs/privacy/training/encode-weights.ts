import { splitGazetteer } from '../src/name/gazetteer.ts';
import type { NameWeights } from '../src/name/weights.ts';

const COLUMNS = 100;

export const encodeWeights = ({ rows, steps, gazetteer, gate }: NameWeights): string => {
  const parts = {
    rows: bytesOf(rows),
    steps: bytesOf(steps),
    ...splitGazetteer(gazetteer),
    gate: bytesOf(gate.rows),
  };
  const checksum = sumOf(Object.values(parts));
  const fields = Object.entries(parts).map(
    ([name, bytes]) => `  ${name}: \`\n${toLines(packZeros(bytes))}\n\`,\n`,
  );
  return (
    '// Written by libs/privacy/training/train.ts; do not edit.\n\n' +
    '/** The weights of the name model, packed as `unpackWeights` reads them. */\n' +
    `export const NAME_WEIGHTS = {\n${fields.join('')}} as const;\n\n` +
    '/** FNV-1a of the unpacked bytes, in the order above. */\n' +
    `export const NAME_WEIGHTS_CHECKSUM = ${checksum};\n`
  );
};

const bytesOf = ({
  buffer,
  byteOffset,
  byteLength,
}: NameWeights['rows'] | NameWeights['steps']): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

const packZeros = (bytes: Uint8Array): Uint8Array => {
  const packed: number[] = [];
  for (let index = 0; index < bytes.length;) {
    const byte = bytes[index]!;
    let run = 1;
    if (byte === 0) while (run < 255 && bytes[index + run] === 0) run++;
    packed.push(byte);
    if (byte === 0) packed.push(run);
    index += run;
  }
  return Uint8Array.from(packed);
};

const toLines = (bytes: Uint8Array): string =>
  (
    Buffer.from(bytes)
      .toString('base64')
      .match(new RegExp(`.{1,${COLUMNS}}`, 'g')) ?? []
  ).join('\n');

const sumOf = (parts: readonly Uint8Array[]): number => {
  let sum = 0x811c_9dc5;
  for (const bytes of parts)
    for (const byte of bytes) sum = Math.imul(sum ^ byte, 0x0100_0193) >>> 0;
  return sum;
};
