import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '@witan/service-kit';
import type { Env } from '@witan/service-kit';
import { CATALOGUE } from './catalogue.ts';
import type { CatalogueEntry } from './catalogue.ts';
import { randomSecret } from './home.ts';
import type { Home } from './home.ts';

export type EnvironmentParts = {
  home: Home;
  env: Env;
  databaseUrls: Readonly<Record<string, string>>;
  natsUrl: string | undefined;
  grpcPorts: Readonly<Record<string, number>>;
  adminPorts: Readonly<Record<string, number>>;
  httpPort: number;
};

/** Variables that the stack sets for each service, instead of passing on the user's values. */
const SET_BY_STACK = ['DATABASE_URL', 'NATS_URL', 'GRPC_ADDRESS', 'ADMIN_PORT', 'PORT'];
const HOST = '127.0.0.1';

const PROCESS_WIDE =
  /^(?:PATH|HOME|TMPDIR|TZ|LANG|(?:LC|LD|DYLD|UV|NODE|OPENSSL|SSL|OTEL)_\w+|(?:HTTPS?|NO)_PROXY)$/i;

/**
 * Returns each service's environment. It contains the variables that the service reads and those
 * that affect a process as a whole, such as `PATH`. Provider keys therefore reach only the
 * llm-gateway, and the signing and log keys only the ledger.
 */
export const makeEnvironments = async (
  parts: EnvironmentParts,
): Promise<Record<string, Record<string, string>>> => {
  const { home, env } = parts;
  const given = Object.entries(env).filter(
    ([name, value]) => value && !SET_BY_STACK.includes(name),
  );
  const shared = {
    WITAN_ENV: 'development',
    WITAN_HOST: HOST,
    ADMIN_HOST: HOST,
    WITAN_SECRETS_KEY: await home.secret('secrets-key', randomSecret),
    WITAN_SIGNING_KEY_FILE: await home.keyFile('signing-key'),
    WITAN_LOG_KEY_FILE: await home.keyFile('log-key'),
    WITAN_LOG_ORIGIN: 'localhost/witan',
    WITAN_SERVICE_PUBLIC_KEYS: await writePublicKeys(home),
    ...addresses(parts.grpcPorts),
    ...(Object.fromEntries(given) as Record<string, string>),
  };
  const entries = CATALOGUE.map(async ({ name, load }) => {
    const all = {
      ...shared,
      WITAN_SERVICE_KEY_FILE: await home.keyFile(`service-${name}`),
      GRPC_ADDRESS: `${HOST}:${parts.grpcPorts[name] ?? 0}`,
      ADMIN_PORT: String(parts.adminPorts[name] ?? 0),
      PORT: String(parts.httpPort),
      ...(parts.databaseUrls[name] ? { DATABASE_URL: parts.databaseUrls[name] } : {}),
      ...(parts.natsUrl ? { NATS_URL: parts.natsUrl } : {}),
    };
    const isRead = findReadVariables(load, all);
    const own = Object.entries(all).filter(([key]) => isRead.has(key) || PROCESS_WIDE.test(key));
    return [name, Object.fromEntries(own)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
};

const findReadVariables = (
  load: CatalogueEntry['load'],
  environment: Record<string, string>,
): ReadonlySet<string> => {
  const names = new Set<string>();
  const recorder = new Proxy(environment, {
    get: (all, name: string) => {
      names.add(name);
      return all[name];
    },
  });
  try {
    load(recorder);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
  }
  return names;
};

const addresses = (ports: EnvironmentParts['grpcPorts']): Record<string, string> =>
  Object.fromEntries(
    CATALOGUE.filter(({ servesGrpc }) => servesGrpc).map(({ name }) => [
      `${name.toUpperCase().replaceAll('-', '_')}_ADDRESS`,
      `${HOST}:${ports[name] ?? 0}`,
    ]),
  );

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
