import { randomBytes } from 'node:crypto';

const ID_BYTES = 16;

export const newEventId = (now: number = Date.now()): string => {
  const bytes = randomBytes(ID_BYTES);
  bytes.writeUIntBE(now, 0, 6);
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  const hex = bytes.toString('hex');
  const ends = [8, 12, 16, 20, 32];
  return ends.map((end, index) => hex.slice(ends[index - 1] ?? 0, end)).join('-');
};
