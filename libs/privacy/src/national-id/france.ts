export function isFrenchNir(value: string): boolean {
  if (!/^[1-478]\d{14}$/.test(value)) return false;
  const month = Number(value.slice(3, 5));
  if (month < 1 || (month > 12 && month < 20)) return false;
  return 97 - (Number(value.slice(0, 13)) % 97) === Number(value.slice(13));
}
