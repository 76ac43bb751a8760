import { isWide } from './fold-wide.ts';

/** For every char code whether the pass stops at it: digits, `@ : = -`, line feeds, wide forms. */
export const STOPS: Uint8Array = stops();

function stops(): Uint8Array {
  const table = new Uint8Array(65_536);
  for (const char of '0123456789@:=-\n') table[char.charCodeAt(0)] = 1;
  for (let c = 0x660; c < table.length; c++) if (isWide(c)) table[c] = 1;
  return table;
}
