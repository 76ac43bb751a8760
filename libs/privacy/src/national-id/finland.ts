const CHECK_CHARS = '0123456789ABCDEFHJKLMNPRSTUVWXY';

export function isFinnishHenkilotunnus(value: string): boolean {
  const parts = /^(\d{2})(\d{2})(\d{2})[-+A-FU-Y](\d{3})([0-9A-Y])$/.exec(value.toUpperCase());
  if (parts === null) return false;
  const [, day = '', month = '', year = '', number = '', check = ''] = parts;
  if (Number(day) < 1 || Number(day) > 31 || Number(month) < 1 || Number(month) > 12) return false;
  return CHECK_CHARS[Number(day + month + year + number) % 31] === check;
}
