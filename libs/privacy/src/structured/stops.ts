import { isWide } from './fold-wide.ts';

/**
 * Non-zero for the char codes at which the scan stops: digits, `@ : = -`, line feeds, full-width
 * forms.
 */
export const STOPS: Uint8Array = stops();

function stops(): Uint8Array {
  const table = new Uint8Array(65_536);
  for (const char of '0123456789@:=-\n') table[char.charCodeAt(0)] = 1;
  for (let c = 0x660; c < table.length; c++) if (isWide(c)) table[c] = 1;
  return table;
}
