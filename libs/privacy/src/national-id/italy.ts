const ODD_VALUES = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
];
const PATTERN =
  /^[A-Z]{6}[\dLMNPQRSTUV]{2}[A-EHLMPRST][\dLMNPQRSTUV]{2}[A-Z][\dLMNPQRSTUV]{3}[A-Z]$/;

export function isItalianCodiceFiscale(value: string): boolean {
  const id = value.toUpperCase();
  if (!PATTERN.test(id)) return false;
  let sum = 0;
  for (let i = 0; i < 15; i++) {
    const c = id.charCodeAt(i);
    const order = c <= 0x39 ? c - 0x30 : c - 0x41;
    sum += i % 2 === 0 ? (ODD_VALUES[order] ?? 0) : order;
  }
  return sum % 26 === id.charCodeAt(15) - 0x41;
}
