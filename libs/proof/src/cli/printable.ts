/**
 * A text that cannot move the cursor, recolour the screen, reorder or fake a line of output: what
 * a certificate holds was written by others.
 */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, show);
}

function show(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
