import { digitAt } from './weighted-sum.ts';

export function isGermanTaxId(value: string): boolean {
  if (!/^[1-9]\d{10}$/.test(value)) return false;
  const repeated = 10 - new Set(value.slice(0, 10)).size;
  if (repeated < 1 || repeated > 2) return false;
  let product = 10;
  for (let i = 0; i < 10; i++) {
    const sum = (digitAt(value, i) + product) % 10;
    product = ((sum === 0 ? 10 : sum) * 2) % 11;
  }
  return (11 - product) % 10 === digitAt(value, 10);
}
