import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Env } from '@witan/service-kit';
import { CATALOGUE } from './catalogue.ts';
import { randomSecret } from './home.ts';
import type { Home } from './home.ts';

/** What the services' environments are made from. */
export type EnvironmentParts = {
  home: Home;
  /** What the person set. */
  env: Env;
  databaseUrls: Readonly<Record<string, string>>;
  /** Of the broker; undefined without one. */
  natsUrl: string | undefined;
  /** gRPC ports by service; 0 = any. */
  grpcPorts: Readonly<Record<string, number>>;
  adminPorts: Readonly<Record<string, number>>;
  httpPort: number;
};

/** Variables that the stack decides for each service; a person's own values do not reach it. */
const DECIDED = ['DATABASE_URL', 'NATS_URL', 'GRPC_ADDRESS', 'ADMIN_PORT', 'PORT'];
const HOST = '127.0.0.1';

/** The environment of every service: the person's own, and what each one needs beside it. */
export const makeEnvironments = async (
  parts: EnvironmentParts,
): Promise<Record<string, Record<string, string>>> => {
  const { home, env } = parts;
  const given = Object.entries(env).filter(([name, value]) => value && !DECIDED.includes(name));
  const shared = {
    WITAN_ENV: 'development',
    WITAN_HOST: HOST,
    ADMIN_HOST: HOST,
    WITAN_SECRETS_KEY: await home.secret('secrets-key', randomSecret),
    WITAN_SIGNING_KEY_FILE: await home.keyFile('signing-key'),
    WITAN_SERVICE_PUBLIC_KEYS: await writePublicKeys(home),
    ...addresses(parts.grpcPorts),
    ...(Object.fromEntries(given) as Record<string, string>),
  };
  const entries = CATALOGUE.map(async ({ name }) => {
    const own = {
      ...shared,
      WITAN_SERVICE_KEY_FILE: await home.keyFile(`service-${name}`),
      GRPC_ADDRESS: `${HOST}:${parts.grpcPorts[name] ?? 0}`,
      ADMIN_PORT: String(parts.adminPorts[name] ?? 0),
      PORT: String(parts.httpPort),
      ...(parts.databaseUrls[name] ? { DATABASE_URL: parts.databaseUrls[name] } : {}),
      ...(parts.natsUrl ? { NATS_URL: parts.natsUrl } : {}),
    };
    return [name, own] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
};

const addresses = (ports: EnvironmentParts['grpcPorts']): Record<string, string> =>
  Object.fromEntries(
    CATALOGUE.filter(({ servesGrpc }) => servesGrpc).map(({ name }) => [
      `${name.toUpperCase().replaceAll('-', '_')}_ADDRESS`,
      `${HOST}:${ports[name] ?? 0}`,
    ]),
  );

/** The public halves of every service's key, by name, as a file. */
const writePublicKeys = async (home: Home): Promise<string> => {
  const keys = CATALOGUE.map(async ({ name }) => {
    const pem = await readFile(await home.keyFile(`service-${name}`));
    const publicKey = createPublicKey(createPrivateKey(pem));
    return [name, publicKey.export({ type: 'spki', format: 'pem' }).toString()] as const;
  });
  const text = JSON.stringify(Object.fromEntries(await Promise.all(keys)), undefined, 2);
  await home.write('service-public-keys.json', `${text}\n`);
  return join(home.dir, 'service-public-keys.json');
};
