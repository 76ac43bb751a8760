import { existsSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { NatsError } from './postgres/postgres-error.ts';
import { describeBroker, toSummary } from './print-summary.ts';

const LINK = `http://127.0.0.1:65535/console/#token=${'x'.repeat(22)}`;
const SYSTEM = {
  baseUrl: 'http://127.0.0.1:65535',
  consoleUrl: 'http://127.0.0.1:65535/console',
  apiKey: `sk_live_${'x'.repeat(46)}`,
  workspaceId: 'w',
  userId: 'u',
  adminUrls: {},
  pids: {},
  databaseUrl: '',
  natsUrl: null,
};

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

describe('toSummary', () => {
  const toScreen = (broker: Parameters<typeof describeBroker>[0], isWitnessed = false): string =>
    toSummary(SYSTEM, { home: '.witan', broker, consoleLink: LINK, isWitnessed });

  it.each([
    ['without a broker', { missing: new NatsError('not-found', 'set NATS_URL.') }],
    ['with a broker that does not answer', { url: 'nats://127.0.0.1:4222', isReady: false }],
    [
      'with an old nats-server',
      { missing: new NatsError('too-old', `/usr/sbin/nats-server is ${'v2.2 '.repeat(12)}`) },
    ],
  ])('fits on a screen of 24 lines and 80 columns with its prompt, %s', (_name, broker) => {
    const lines = toScreen(broker).split('\n');
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  it('shows the link to the console', () => {
    const broker = { missing: new NatsError('not-found', '') };
    expect(toScreen(broker)).toContain(`    Console    ${LINK}\n`);
  });

  it('says whether the log is witnessed', () => {
    const broker = { missing: new NatsError('not-found', '') };
    expect(toScreen(broker)).toContain('/v1/log (not witnessed)\n');
    expect(toScreen(broker, true)).toContain('/v1/log\n');
  });

  it('names example files that exist', () => {
    const files = toScreen({ url: 'nats://a', isReady: true }).match(/(?:examples|docs)\/[\w.-]+/g);
    expect(files).toHaveLength(4);
    for (const file of files!) {
      expect([file, existsSync(new URL(`../../../${file}`, import.meta.url))]).toEqual([
        file,
        true,
      ]);
    }
  });
});
