const MAX_VALUE = 256;

export function bareValueEnd(text: string, start: number, query: boolean): number {
  const stop = Math.min(text.length, start + MAX_VALUE);
  let i = start;
  while (i < stop && !endsBare(text.charCodeAt(i)) && !(query && endsQuery(text.charCodeAt(i))))
    i++;
  while (i > start && isTrailing(text.charCodeAt(i - 1))) i--;
  return i;
}

function endsBare(c: number): boolean {
  if (c <= 0x20 || c === 0x22 || c === 0x27 || c === 0x60 || c === 0xa0) return true;
  return c === 0x2c || c === 0x3b || c === 0x3c || c === 0x7c || c === 0x3000;
}

function endsQuery(c: number): boolean {
  return c === 0x26 || c === 0x23 || c === 0x29 || c === 0x5d;
}

function isTrailing(c: number): boolean {
  return c === 0x2e || c === 0x29 || c === 0x5d || c === 0x7d || c === 0x5c;
}
