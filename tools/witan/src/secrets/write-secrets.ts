import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { callGraph } from '@witan/contracts/call-graph';
import { databaseVariable } from '../config.ts';
import { ensureFile, replaceFile } from './ensure-file.ts';

export type SecretsPlan = {
  folder: string;
  /**
   * Path at which a service's folder is mounted at run time; `{service}` is replaced by the
   * service's name.
   */
  mount: string;
  /** URL of the database's admin, with a user name. A password is created if it has none. */
  databaseUrl: string;
  /** URL of the broker. A user name and a password are created if it has none. */
  natsUrl: string;
};

const SECRET_BYTES = 32;
const ENCRYPTING_SERVICES = ['agents', 'api-gateway', 'llm-gateway', 'notifier'];
const SERVICES_WITH_BROKER = ['agents', 'notifier', 'simulation'];
const NATS_USER_NAME = 'witan';
const SERVICES = Object.keys(callGraph);

/**
 * Creates a folder per service, and the folders `all`, `operator`, `postgres` and `nats`. A
 * service's folder has only the secrets that this service needs: keys as PEM files, and
 * `service.env` for `node --env-file`. Adds missing secrets and never changes existing ones.
 */
export const writeSecrets = async (plan: SecretsPlan): Promise<void> => {
  const { folder } = plan;
  const secret = (name: string, url?: string): Promise<string> =>
    ensureFile(
      join(folder, name),
      () => (url && readPassword(url)) || randomBytes(SECRET_BYTES).toString('base64url'),
    );
  const natsPassword = await secret('nats/password', plan.natsUrl);
  const natsUser = decodeURIComponent(new URL(plan.natsUrl).username) || NATS_USER_NAME;
  const [userText, passwordText] = [natsUser, natsPassword].map((one) => JSON.stringify(one));
  await ensureFile(
    join(folder, 'nats/authorization.conf'),
    () => `authorization { user: ${userText}, password: ${passwordText} }\n`,
  );
  const adminPassword = await secret('postgres/password', plan.databaseUrl);
  const adminUrl = withPassword(plan.databaseUrl, adminPassword);
  const urls: Record<string, string> = {};
  for (const service of SERVICES) {
    const user = `witan_${service.replaceAll('-', '_')}`;
    urls[service] = withPassword(plan.databaseUrl, await secret(`operator/${user}`), user);
  }
  const natsUrl = withPassword(plan.natsUrl, natsPassword, natsUser);
  const operator = { DATABASE_URL: adminUrl, ...toVariables(urls), NATS_URL: natsUrl };
  await ensureFile(join(folder, 'operator/service.env'), () => toEnv(operator));
  const secretsKey = await ensureFile(join(folder, 'operator/sealing-key'), makeSecretsKey);
  await writeServiceFolders(plan, { urls, natsUrl, secretsKey });
};

const toVariables = (urls: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(urls).map(([name, url]) => [databaseVariable(name), url]));

type KnownSecrets = { urls: Readonly<Record<string, string>>; natsUrl: string; secretsKey: string };

const writeServiceFolders = async (plan: SecretsPlan, known: KnownSecrets): Promise<void> => {
  const { folder } = plan;
  const { urls, natsUrl, secretsKey } = known;
  const publicKeys: Record<string, string> = {};
  for (const service of SERVICES) {
    const pem = await ensureFile(join(folder, service, 'service-key.pem'), makeKey);
    const publicKey = createPublicKey(createPrivateKey(pem));
    publicKeys[service] = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  }
  const signingKey = await ensureFile(join(folder, 'ledger/signing-key.pem'), makeKey);
  await ensureFile(join(folder, 'all/signing-key.pem'), () => signingKey);
  const mountPathOf = (name: string): string => plan.mount.replaceAll('{service}', name);
  for (const service of SERVICES) {
    const mountPath = mountPathOf(service);
    // Rewritten by every run, because a release may add a service, whose public key must be listed.
    const keys = `${JSON.stringify(publicKeys, undefined, 2)}\n`;
    await replaceFile(join(folder, service, 'service-public-keys.json'), keys);
    await ensureFile(join(folder, service, 'service.env'), () =>
      toEnv({
        DATABASE_URL: urls[service],
        WITAN_SERVICE_KEY_FILE: `${mountPath}/service-key.pem`,
        WITAN_SERVICE_PUBLIC_KEYS: `${mountPath}/service-public-keys.json`,
        WITAN_SIGNING_KEY_FILE: service === 'ledger' ? `${mountPath}/signing-key.pem` : undefined,
        WITAN_SECRETS_KEY: ENCRYPTING_SERVICES.includes(service) ? secretsKey : undefined,
        NATS_URL: SERVICES_WITH_BROKER.includes(service) ? natsUrl : undefined,
      }),
    );
  }
  await ensureFile(join(folder, 'all/service.env'), () =>
    toEnv({
      ...toVariables(urls),
      WITAN_SIGNING_KEY_FILE: `${mountPathOf('all')}/signing-key.pem`,
      WITAN_SECRETS_KEY: secretsKey,
      NATS_URL: natsUrl,
    }),
  );
};

const makeKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

const makeSecretsKey = (): string => randomBytes(SECRET_BYTES).toString('base64');

const readPassword = (url: string): string => decodeURIComponent(new URL(url).password);

const withPassword = (text: string, password: string, user?: string): string => {
  const url = new URL(text);
  if (user !== undefined) url.username = encodeURIComponent(user);
  url.password = encodeURIComponent(password);
  return url.href;
};

const toEnv = (values: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
