export function isWide(c: number): boolean {
  return (c >= 0xff01 && c <= 0xff5e) || digitZero(c) !== 0;
}

/** Converts full-width forms and digits of other scripts to ASCII without moving offsets. */
export function foldWide(text: string): string {
  return text.replace(/[\uff01-\uff5e\u0660-\u0669\u06f0-\u06f9\u0966-\u096f]/g, (char) => {
    const c = char.charCodeAt(0);
    const zero = digitZero(c);
    return String.fromCharCode(zero === 0 ? c - 0xfee0 : c - zero + 0x30);
  });
}

function digitZero(c: number): number {
  if (c >= 0x660 && c <= 0x669) return 0x660;
  if (c >= 0x6f0 && c <= 0x6f9) return 0x6f0;
  return c >= 0x966 && c <= 0x96f ? 0x966 : 0;
}
