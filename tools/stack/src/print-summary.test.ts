import { describe, expect, it } from '@jest/globals';
import { NatsError } from './postgres/postgres-error.ts';
import { describeBroker } from './print-summary.ts';

describe('describeBroker', () => {
  it.each([
    {
      name: 'the address of the broker',
      broker: { url: 'nats://127.0.0.1:4222', isReady: true },
      lines: ['nats://127.0.0.1:4222'],
    },
    {
      name: 'no credentials of any server',
      broker: { url: 'nats://one:p%40ss@a:4222, tls://token@b:4222,c:1', isReady: true },
      lines: ['nats://a:4222, tls://b:4222, c:1'],
    },
    {
      name: 'an unreachable broker',
      broker: { url: 'nats://a:4222', isReady: false },
      lines: [
        'nats://a:4222 does not answer yet.',
        'Until it does, events wait in the database, and no webhook is sent.',
      ],
    },
    {
      name: 'a missing broker',
      broker: { missing: new NatsError('not-found', 'set NATS_URL.') },
      lines: ['in process (NATS when NATS_URL is set)'],
    },
    {
      name: 'why an installed nats-server did not start',
      broker: { missing: new NatsError('too-old', 'Version 2.2 is too old.') },
      lines: [
        'in process (NATS when NATS_URL is set)',
        'nats-server did not start: Version 2.2 is too old.',
      ],
    },
  ])('describes $name', ({ broker, lines }) => {
    expect(describeBroker(broker)).toEqual(lines);
  });
});
