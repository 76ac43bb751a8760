import { describe, expect, it } from '@jest/globals';
import { verifyDeliveries } from './verify-deliveries.ts';

const logged = (id: string, state = 'delivered', attempts = 1) => ({
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
const LOG = [logged('dlv_1'), logged('dlv_2')];
const ARRIVALS = [arrival('dlv_1'), arrival('dlv_2')];
const SIGNED = { signed: 1, errors: [] };

describe('verifyDeliveries', () => {
  it('returns what it verified', () => {
    expect(verifyDeliveries(LOG, { arrivals: ARRIVALS, ...SIGNED })).toEqual({
      deliveries: 2,
      signaturesVerified: 1,
    });
  });

  it.each([
    ['one that is missing', LOG, ARRIVALS.slice(1), '1 did not come'],
    [
      'one that came twice',
      LOG,
      [...ARRIVALS, arrival('dlv_1', 'another')],
      '1 came more than once',
    ],
    ['one that nobody asked for', LOG.slice(1), ARRIVALS, '1 came and are not in the log'],
    [
      'the number of another attempt',
      LOG,
      [arrival('dlv_1', 'same'), arrival('dlv_2', 'same')],
      '1 had the number',
    ],
    ['one that waits', LOG.with(0, logged('dlv_1', 'pending', 0)), ARRIVALS, '1 are not delivered'],
    [
      'one that needed two attempts',
      LOG.with(0, logged('dlv_1', 'delivered', 2)),
      ARRIVALS,
      '1 are not delivered',
    ],
  ])('throws on %s', (_name, log, arrivals, message) => {
    expect(() => verifyDeliveries(log, { arrivals, ...SIGNED })).toThrow(message);
  });

  it('throws on wrong signatures, and if none was verified', () => {
    const wrong = { arrivals: ARRIVALS, signed: 1, errors: ['/reused/1: wrong'] };
    expect(() => verifyDeliveries(LOG, wrong)).toThrow('1 were signed wrongly. /reused/1: wrong');
    const none = { arrivals: ARRIVALS, signed: 0, errors: [] };
    expect(() => verifyDeliveries(LOG, none)).toThrow('No signature');
  });
});
