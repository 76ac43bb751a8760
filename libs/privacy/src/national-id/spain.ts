const CHECK_LETTERS = 'TRWAGMYFPDXBNJZSQVHLCKE';

export function isSpanishDniOrNie(value: string): boolean {
  const id = value.toUpperCase();
  if (!/^[XYZ\d]\d{7}[A-Z]$/.test(id)) return false;
  const digits = id.slice(0, 8).replace('X', '0').replace('Y', '1').replace('Z', '2');
  return CHECK_LETTERS[Number(digits) % 23] === id[8];
}
