export function isSocialSecurityNumber(value: string): boolean {
  if (!/^\d{9}$/.test(value)) return false;
  const area = Number(value.slice(0, 3));
  const group = Number(value.slice(3, 5));
  if (area === 0 || area === 666 || group === 0 || value.endsWith('0000')) return false;
  if (area < 900) return true;
  return (
    (group >= 50 && group <= 65) || (group >= 70 && group <= 99 && group !== 89 && group !== 93)
  );
}
