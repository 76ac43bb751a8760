import { describe, expect, it } from '@jest/globals';
import { decodeEvent, toSubject } from './event.ts';
import type { Arrival } from './event.ts';

const ARRIVAL: Arrival = {
  subject: 'events.v1.ws_a.order.placed',
  headers: {
    'ce-id': '019b0000-0000-7000-8000-000000000000',
    'ce-type': 'order.placed',
    'ce-time': '2026-01-02T03:04:05.678Z',
  },
  payload: Uint8Array.of(1),
};

describe('the subject of an event', () => {
  it('contains the workspace and the type', () => {
    expect(toSubject({ workspaceId: 'ws_a', type: 'order.placed' })).toBe(ARRIVAL.subject);
  });

  it.each<[string, string, string, string]>([
    ['a workspace id with a dot', 'ws.a', 'order.placed', 'A workspace id has'],
    ['a workspace id that is a wildcard', '*', 'order.placed', 'A workspace id has'],
    ['no workspace id', '', 'order.placed', 'A workspace id has'],
    ['a type that ends in a wildcard', 'ws_a', 'order.>', 'not a valid event type'],
    ['a type with a space', 'ws_a', 'order placed', 'not a valid event type'],
    ['a type with an empty part', 'ws_a', 'order..placed', 'not a valid event type'],
    ['no type', 'ws_a', '', 'not a valid event type'],
  ])('is rejected with %s', (_name, workspaceId, type, expected) => {
    expect(() => toSubject({ workspaceId, type })).toThrow(expected);
  });
});

describe('decodeEvent', () => {
  it('decodes an event that the relay publishes', () => {
    expect(decodeEvent(ARRIVAL)).toEqual({
      id: '019b0000-0000-7000-8000-000000000000',
      workspaceId: 'ws_a',
      type: 'order.placed',
      occurredAt: new Date('2026-01-02T03:04:05.678Z'),
      payload: Uint8Array.of(1),
    });
  });

  it.each<[string, Partial<Arrival>, string]>([
    ['no id', { headers: { ...ARRIVAL.headers, 'ce-id': '' } }, 'no ce-id'],
    ['no time', { headers: { ...ARRIVAL.headers, 'ce-time': 'soon' } }, 'no ce-time'],
    ['no type', { headers: { ...ARRIVAL.headers, 'ce-type': '' } }, 'not a valid event type'],
    [
      'another type',
      { headers: { ...ARRIVAL.headers, 'ce-type': 'order.paid' } },
      'does not match',
    ],
    ['a subject of something else', { subject: 'orders.v1.ws_a.order.placed' }, 'does not match'],
  ])('rejects %s', (_name, change, expected) => {
    expect(() => decodeEvent({ ...ARRIVAL, ...change })).toThrow(expected);
  });
});
