import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lockDirectory } from '../postgres/lock-directory.ts';
import { errorCode, PostgresError } from '../postgres/postgres-error.ts';

export type Home = {
  dir: string;
  /** Returns a secret, which is created on first use. Only the owner can read the file. */
  secret: (name: string, make: () => string) => Promise<string>;
  /** Returns the path of an Ed25519 private key (PEM), which is created on first use. */
  keyFile: (name: string) => Promise<string>;
  write: (name: string, text: string) => Promise<void>;
  remove: (name: string) => Promise<void>;
  release: () => Promise<void>;
};

const SECRET_BYTES = 32;
const DRAFT_BYTES = 4;

export const randomSecret = (): string => randomBytes(SECRET_BYTES).toString('base64');

/** Locks the directory for this process. Throws if another system runs in it. */
export const openHome = async (dir: string): Promise<Home> => {
  const secrets = join(dir, 'secrets');
  // If this process runs as root, the database runs as another user, who must traverse the
  // directory.
  await mkdir(dir, { recursive: true, mode: 0o711 });
  await mkdir(secrets, { recursive: true, mode: 0o700 });
  const lock = await lockDirectory(dir).catch((error: unknown) => {
    if (!(error instanceof PostgresError)) throw error;
    const advice = 'stop it first, or set WITAN_HOME to another directory';
    throw new Error(`A system already runs in ${dir}: ${advice}.`, { cause: error });
  });
  const write = async (name: string, text: string): Promise<void> => {
    // The draft has a unique name, because concurrent restarts of processes write the same file.
    const draft = join(dir, `${name}.${randomBytes(DRAFT_BYTES).toString('hex')}.new`);
    await writeFile(draft, text, { mode: 0o600 });
    await rename(draft, join(dir, name));
  };
  const secret: Home['secret'] = async (name, make) => {
    const file = join(secrets, name);
    const known = await readIfExists(file);
    if (known !== undefined) return known;
    const made = make();
    await write(join('secrets', name), made);
    return made;
  };
  return {
    dir,
    secret,
    write,
    remove: (name) => rm(join(dir, name), { force: true }),
    keyFile: async (name) => {
      await secret(`${name}.pem`, makePrivateKey);
      return join(secrets, `${name}.pem`);
    },
    release: lock.release,
  };
};

const makePrivateKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

const readIfExists = async (file: string): Promise<string | undefined> => {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
};
