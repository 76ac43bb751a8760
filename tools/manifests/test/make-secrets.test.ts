import { execFile } from 'node:child_process';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { objectAt, textAt } from '../src/manifest.ts';
import type { Manifest } from '../src/manifest.ts';
import { READERS } from '../src/readers.ts';
import type { Provided } from '../src/rules/check-provided.ts';

const MAIN = fileURLToPath(new URL('../src/make-secrets.ts', import.meta.url));
const PROVIDED = new URL('../../../deploy/k8s/provided.json', import.meta.url);

describe('make-secrets', () => {
  let items: Manifest[];
  beforeAll(async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN]);
    ({ items } = JSON.parse(stdout) as { items: Manifest[] });
  });

  const valueOf = (name: string, key: string): string => {
    const found = items.find(({ metadata }) => metadata.name === name);
    return textAt(found, 'stringData', key) || textAt(found, 'data', key);
  };

  it('creates all secrets except certificates, provider keys and those of the log', () => {
    const { secrets, configMaps } = JSON.parse(readFileSync(PROVIDED, 'utf8')) as Provided;
    const wanted = Object.entries({ ...secrets, ...configMaps })
      .filter(([name]) => !/-(?:tls|log)$/.test(name))
      .map(([name, keys]) => [
        name,
        Object.keys(keys).filter((key) => !/^(open|anthrop)/.test(key)),
      ]);
    const made = items.map((item) => [
      item.metadata.name,
      Object.keys({ ...objectAt(item, 'stringData'), ...objectAt(item, 'data') }),
    ]);
    const sorted = (pairs: unknown[][]) =>
      Object.fromEntries(pairs.map(([name, keys]) => [name, (keys as string[]).toSorted()]));
    expect(sorted(made)).toEqual(sorted(wanted));
  });

  it('creates a key pair per service and gives all services the public keys', () => {
    const published = JSON.parse(valueOf('service-public-keys', 'keys.json')) as object;
    const own = Object.keys(READERS).map((service) => {
      const key = createPublicKey(createPrivateKey(valueOf(service, 'service-key.pem')));
      return [service, key.export({ type: 'spki', format: 'pem' })];
    });
    expect(published).toEqual(Object.fromEntries(own));
    expect(new Set(own.map(([, pem]) => pem)).size).toBe(own.length);
  });

  it('creates secrets that the services accept', () => {
    const env = {
      DATABASE_URL: valueOf('notifier', 'database-url'),
      NATS_URL: valueOf('notifier', 'nats-url'),
      WITAN_SECRETS_KEY: valueOf('notifier', 'secrets-key'),
      WITAN_SERVICE_KEY_FILE: 'key.pem',
      WITAN_SERVICE_PUBLIC_KEYS: 'keys.json',
    };
    expect(READERS['notifier']!(env)).toMatchObject({
      process: { events: { natsUrl: env.NATS_URL } },
    });
    expect(valueOf('notifier', 'nats-url')).toContain(valueOf('nats', 'password'));
  });
});
