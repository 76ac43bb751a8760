import { describe, expect, it } from '@jest/globals';
import type { FigureUnit } from './create-format-number.ts';
import { createFormatNumber, readCurrency } from './create-format-number.ts';

describe('createFormatNumber', () => {
  it.each<[number, FigureUnit, string, string]>([
    [2_134_567, 'money', '2.13 million', '2,13 Millionen'],
    [1_000_000, 'money', '1 million', '1 Million'],
    [999_950, 'money', '1 million', '1 Million'],
    [-480_120, 'money', '-480 thousand', '-480 Tausend'],
    [45_049, 'money', '45 thousand', '45 Tausend'],
    [7_250_000_000, 'money', '7.25 billion', '7,25 Milliarden'],
    [3.2e12, 'money', '3.2 trillion', '3,2 Billionen'],
    [720, 'money', '720', '720'],
    [0.4, 'money', '0.4', '0,4'],
    [-0.0001, 'money', '0', '0'],
    [99.5, 'price', '99.50', '99,50'],
    [28_123, 'price', '28.1 thousand', '28,1 Tausend'],
    [12.345, 'percent', '12.3 %', '12,3 %'],
    [0.434, 'percent', '0.43 %', '0,43 %'],
    [-7.25, 'percent', '-7.3 %', '-7,3 %'],
    [1, 'points', '1 percentage point', '1 Prozentpunkt'],
    [-1.64, 'points', '-1.6 percentage points', '-1,6 Prozentpunkte'],
    [1.837, 'multiple', '1.84x', '1,84-fach'],
    [7.52, 'months', '7.5 months', '7,5 Monate'],
    [1.04, 'months', '1 month', '1 Monat'],
    [1, 'people', '1 employee', '1 Beschäftigter'],
    [52, 'people', '52 employees', '52 Beschäftigte'],
    [1_433, 'people', '1,433 employees', '1.433 Beschäftigte'],
    [-3, 'people', '-3 employees', '-3 Beschäftigte'],
    [3, 'turn', 'turn 3', 'Runde 3'],
    [1, 'turns', '1 turn', '1 Runde'],
    [8, 'turns', '8 turns', '8 Runden'],
    [2, 'scenarios', '2 scenarios', '2 Szenarien'],
    [1, 'events', '1 event', '1 Ereignis'],
  ])('formats %f %s', (value, unit, english, german) => {
    expect(createFormatNumber({ language: 'en', currency: '' })(value, unit)).toBe(english);
    expect(createFormatNumber({ language: 'de', currency: '' })(value, unit)).toBe(german);
  });

  it('writes the currency after money only', () => {
    const format = createFormatNumber({ language: 'en', currency: 'EUR' });
    expect([format(2e6, 'money'), format(99.5, 'price'), format(3, 'turns')]).toEqual([
      '2 million EUR',
      '99.50 EUR',
      '3 turns',
    ]);
  });
});

describe('readCurrency', () => {
  it.each([
    ['EUR', 'EUR'],
    [' USD ', 'USD'],
    ['€', '€'],
    ['euros', ''],
    ['900', ''],
    [7, ''],
    [undefined, ''],
  ])('reads %j as %j', (input, currency) => {
    expect(readCurrency(input)).toBe(currency);
  });
});
