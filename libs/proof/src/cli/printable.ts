/**
 * Escapes characters that move the cursor, recolour the screen, reorder text or forge a line of
 * output, because the content of a certificate is untrusted.
 */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, show);
}

function show(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
