import { readdir, readFile, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SCHEMA_OWNERS } from '@witan/stack/migrate-schema';
import { findLocation } from '@witan/stack/postgres/locate-cluster';
import { errorCode } from '@witan/stack/postgres/postgres-error';
import type { Installation } from './find-installation.ts';
import type { FileMode, FileText } from './judge-keys.ts';
import type { DiskFacts } from './judge-machine.ts';
import type { TlsFacts } from './judge-tls.ts';

export const readText = async (file: string): Promise<FileText> => {
  try {
    return { file, text: await readFile(file, 'utf8') };
  } catch (error) {
    return { file, error };
  }
};

export type KeyFacts = {
  secretsKey: FileText | undefined;
  signingKey: FileText | undefined;
  serviceKeys: readonly (FileText & { service: string })[];
  publicKeys: FileText | undefined;
};

/** Reads the keys that the environment configures, or those of the home. */
export const readKeys = async (installation: Installation): Promise<KeyFacts> => {
  const { env, hasHome, home, isConfigured } = installation;
  const usesHome = hasHome && !isConfigured;
  const inHome = (name: string): string | undefined => (usesHome ? join(home, name) : undefined);
  const read = async (file: string | undefined): Promise<FileText | undefined> =>
    file === undefined ? undefined : await readText(file);
  const secretsKey = env['WITAN_SECRETS_KEY']?.trim();
  const keyFiles = listServiceKeyFiles(installation);
  return {
    secretsKey: secretsKey
      ? { file: 'WITAN_SECRETS_KEY', text: secretsKey }
      : await read(inHome('secrets/secrets-key')),
    signingKey: await read(
      env['WITAN_SIGNING_KEY_FILE']?.trim() || inHome('secrets/signing-key.pem'),
    ),
    serviceKeys: await Promise.all(
      keyFiles.map(async ({ service, file }) => ({ service, ...(await readText(file)) })),
    ),
    publicKeys: await read(
      env['WITAN_SERVICE_PUBLIC_KEYS']?.trim() || inHome('service-public-keys.json'),
    ),
  };
};

const listServiceKeyFiles = (installation: Installation): { service: string; file: string }[] => {
  const { env, hasHome, home, isConfigured, service } = installation;
  const file = env['WITAN_SERVICE_KEY_FILE']?.trim();
  if (file) return service === undefined ? [] : [{ service, file }];
  if (isConfigured || !hasHome) return [];
  return SCHEMA_OWNERS.map((name) => ({
    service: name,
    file: join(home, 'secrets', `service-${name}.pem`),
  }));
};

/** Returns the modes of files with secrets; other checks report files that cannot be read. */
export const readModes = async (installation: Installation): Promise<FileMode[]> => {
  const { env, hasHome, home, isConfigured } = installation;
  const configured = [
    env['WITAN_SIGNING_KEY_FILE'],
    env['WITAN_SERVICE_KEY_FILE'],
    env['WITAN_TLS_KEY_FILE'],
  ].flatMap((file) => file?.trim() || []);
  const secrets = join(home, 'secrets');
  const ofHome =
    hasHome && !isConfigured
      ? [secrets, join(home, 'system.json'), ...(await listFolder(secrets))]
      : [];
  const modes = [...configured, ...ofHome].map(async (file) => {
    const { mode } = await stat(file).catch(() => ({ mode: undefined }));
    return mode === undefined ? [] : [{ file, mode }];
  });
  return (await Promise.all(modes)).flat();
};

const listFolder = async (folder: string): Promise<string[]> => {
  const names = await readdir(folder).catch(() => []);
  return names.map((name) => join(folder, name));
};

/**
 * Returns the free space of the home, or of the folder in which it will be, and of the embedded
 * database. Throws PostgresError if the recorded folder of the database is gone.
 */
export const readDisks = async ({
  home,
  isConfigured,
}: Pick<Installation, 'home' | 'isConfigured'>): Promise<DiskFacts[]> => {
  if (isConfigured) return [];
  const dir = join(home, 'postgres');
  const [homeDisk, databaseDisk] = await Promise.all(
    [home, (await findLocation(dir)) ?? dir].map(readDisk),
  );
  return [
    { label: 'home', ...homeDisk! },
    { label: 'database', ...databaseDisk! },
  ];
};

/** Returns the free space at a folder, or at the nearest parent that exists. */
const readDisk = async (folder: string): Promise<Omit<DiskFacts, 'label'>> => {
  try {
    const { bavail, bsize } = await statfs(folder);
    return { folder, freeBytes: bavail * bsize };
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || folder === dirname(folder)) throw error;
    return await readDisk(dirname(folder));
  }
};

/** Reads the files of mutual TLS; undefined if none is configured. */
export const readTls = async ({
  env,
  service,
}: Pick<Installation, 'env' | 'service'>): Promise<TlsFacts | undefined> => {
  const names = ['WITAN_TLS_CERT_FILE', 'WITAN_TLS_KEY_FILE', 'WITAN_TLS_CA_FILE'];
  const files = names.map((name) => env[name]?.trim());
  if (!files.some(Boolean)) return undefined;
  const [cert, key, ca] = await Promise.all(
    files.map(async (file, index) =>
      file
        ? await readText(file)
        : { file: names[index]!, error: new Error(`${names[index]} is not set`) },
    ),
  );
  return { cert: cert!, key: key!, ca: ca!, service, now: new Date() };
};
