import { describe, expect, it } from '@jest/globals';
import { parseOutcomes, toLatencies, verifyDeliveries } from './verify-deliveries.ts';

const makeStored = (id: string, state = 'delivered', attempts = 1) => ({
  id,
  eventId: null,
  state,
  attempts,
});
const arrival = (delivery: string, attempt = `of ${delivery}`) => ({
  path: '/reused/1',
  delivery,
  attempt,
  atMs: 1,
});
const STORED_DELIVERIES = [makeStored('dlv_1'), makeStored('dlv_2')];
const ARRIVALS = [arrival('dlv_1'), arrival('dlv_2')];
const SIGNED = { verifiedSamples: 1, errors: [] };

describe('verifyDeliveries', () => {
  it('returns what it verified', () => {
    expect(verifyDeliveries(STORED_DELIVERIES, { arrivals: ARRIVALS, ...SIGNED })).toEqual({
      deliveries: 2,
      signaturesVerified: 1,
    });
  });

  it.each([
    ['a missing delivery', STORED_DELIVERIES, ARRIVALS.slice(1), '1 were not received'],
    [
      'a delivery that was received twice',
      STORED_DELIVERIES,
      [...ARRIVALS, arrival('dlv_1', 'another')],
      '1 were received more than once',
    ],
    [
      'a delivery that is not stored',
      STORED_DELIVERIES.slice(1),
      ARRIVALS,
      '1 were received and are not stored',
    ],
    [
      'two deliveries with the same attempt id',
      STORED_DELIVERIES,
      [arrival('dlv_1', 'same'), arrival('dlv_2', 'same')],
      '1 had the number',
    ],
    [
      'a delivery that is still pending',
      STORED_DELIVERIES.with(0, makeStored('dlv_1', 'pending', 0)),
      ARRIVALS,
      '1 are not delivered',
    ],
    [
      'a delivery that needed two attempts',
      STORED_DELIVERIES.with(0, makeStored('dlv_1', 'delivered', 2)),
      ARRIVALS,
      '1 are not delivered',
    ],
  ])('throws on %s', (_name, log, arrivals, message) => {
    expect(() => verifyDeliveries(log, { arrivals, ...SIGNED })).toThrow(message);
  });

  it('throws on wrong signatures, and if none was verified', () => {
    const wrong = { arrivals: ARRIVALS, verifiedSamples: 1, errors: ['/reused/1: wrong'] };
    expect(() => verifyDeliveries(STORED_DELIVERIES, wrong)).toThrow(
      '1 were signed wrongly. /reused/1: wrong',
    );
    const none = { arrivals: ARRIVALS, verifiedSamples: 0, errors: [] };
    expect(() => verifyDeliveries(STORED_DELIVERIES, none)).toThrow('No signature');
  });
});

const STORED_BY_EVENT = ['1', '2'].map((number) => ({
  id: `dlv_${number}`,
  eventId: `fact-${number}`,
  state: 'delivered',
  attempts: 1,
}));
const makeArrival = (delivery: string, atMs: number) => ({
  path: '',
  delivery,
  attempt: '',
  atMs,
});
const EVENTS = [
  { id: 'fact-1', committedAtMs: 100 },
  { id: 'fact-2', committedAtMs: 200 },
];

describe('toLatencies', () => {
  it('measures from the commit of an event to the POST of its delivery', () => {
    const arrivals = [makeArrival('dlv_2', 207), makeArrival('dlv_1', 109)];
    expect(toLatencies(EVENTS, STORED_BY_EVENT, { arrivals })).toEqual([9, 7]);
  });

  it('throws if an event has no POST', () => {
    const arrivals = [makeArrival('dlv_2', 207)];
    expect(() => toLatencies(EVENTS, STORED_BY_EVENT, { arrivals })).toThrow(
      'Event fact-1 has no POST.',
    );
  });
});

describe('parseOutcomes', () => {
  it('returns the attempts by outcome', () => {
    const registry = [
      '# TYPE notifier_attempts_total counter',
      'notifier_attempts_total{outcome="delivered"} 4012',
      'notifier_attempts_total{outcome="timeout"} 3',
      'notifier_late_results_total 0',
    ].join('\n');
    expect(parseOutcomes(registry)).toEqual({ delivered: 4_012, timeout: 3 });
  });
});
