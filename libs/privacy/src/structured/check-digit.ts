/** Verifies the Luhn check digit (ISO/IEC 7812-1). */
export function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = digits.length - 1, twice = false; i >= 0; i--, twice = !twice) {
    const digit = digits.charCodeAt(i) - 0x30;
    const value = twice ? digit * 2 : digit;
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

export function weightedSum(digits: string, weights: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < weights.length; i++) sum += (digits.charCodeAt(i) - 0x30) * (weights[i] ?? 0);
  return sum;
}

export function digitAt(digits: string, index: number): number {
  return digits.charCodeAt(index) - 0x30;
}

export function isMonthDayAt(digits: string, month: number, day: number): boolean {
  const m = Number(digits.slice(month, month + 2));
  const d = Number(digits.slice(day, day + 2));
  return m >= 1 && m <= 12 && d >= 1 && d <= 31;
}
