import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { createProcessIo } from '@witan/proof/cli/command-io';
import { LOG_USAGE, runLog } from '@witan/proof/cli/log';
import type { LogIo } from '@witan/proof/cli/follow-url';
import { createNoteKey, formatNoteKey, isKeyName, NOTE_KEY_TYPES } from '@witan/proof/tlog/note';
import { findDatabaseUrl } from '@witan/stack/postgres/service-database';
import { readCliConfig } from '../config.ts';
import { UsageError } from '../usage.ts';

/** Runs `witan log`: makes a key, or reads and verifies a transparency log. */
export const runLogCommand = async (argv: readonly string[]): Promise<number> => {
  if (argv.includes('--help')) {
    process.stdout.write(`${LOG_USAGE}\n`);
    return 0;
  }
  if (argv[0] === 'keygen') return await runKeygen(argv.slice(1));
  if (argv[0] === 'adopt') return await runAdopt(argv.slice(1));
  return await runLog(argv, createLogIo());
};

const createLogIo = (): LogIo => ({
  ...createProcessIo(),
  exists: existsSync,
  writeFile: async (path, content) => {
    await mkdir(dirname(path), { recursive: true });
    const draft = `${path}.new`;
    await writeFile(draft, content);
    await rename(draft, path);
  },
  apiKey: readCliConfig().apiKey,
});

/** Gives the ledger's database the epochs of a mirror that it lacks. */
const runAdopt = async ([folder, ...rest]: readonly string[]): Promise<number> => {
  if (folder === undefined || rest.length > 0) {
    throw new UsageError('Say where the mirror is: witan log adopt FOLDER.');
  }
  const { home, databaseUrl } = readCliConfig();
  const url = databaseUrl ?? (await findDatabaseUrl(home, 'ledger'));
  if (url === undefined) {
    throw new Error(`No system runs in ${home}: start one, or set the ledger's DATABASE_URL.`);
  }
  const { adoptLogAt } = await import('@witan/ledger/adopt');
  const { MIGRATIONS: migrations } = await import('@witan/ledger/migrations');
  const { epochs, first, removed, size } = await adoptLogAt({ url, migrations }, (path) =>
    readFile(join(folder, path)),
  );
  const lines =
    epochs === 0
      ? [`the database has every epoch of the mirror; it has ${size}`]
      : [
          `adopted epochs ${first} to ${first + epochs - 1} from the mirror`,
          ...(removed === 0 ? [] : [`replaced ${removed} unpublished epochs of the database`]),
          `epoch ${size - 1} states the loss, and is published next`,
        ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return 0;
};

/** Makes a log key; an existing file is not overwritten, but its public key is printed. */
const runKeygen = async (argv: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: { origin: { type: 'string' } },
    allowPositionals: true,
  });
  const [file] = positionals;
  if (file === undefined || !values.origin || !isKeyName(values.origin)) {
    throw new UsageError('Say where to write the key, and for which log: FILE --origin NAME.');
  }
  if (!existsSync(file)) {
    const { privateKey } = generateKeyPairSync('ed25519');
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
    await writeFile(file, pem, { mode: 0o600, flag: 'wx' });
  }
  const key = createPrivateKey(await readFile(file));
  const { x = '' } = key.export({ format: 'jwk' });
  const raw = new Uint8Array(Buffer.from(x, 'base64url'));
  const parts = { name: values.origin, type: NOTE_KEY_TYPES.ed25519, key: raw };
  process.stdout.write(`${formatNoteKey(createNoteKey(parts))}\n`);
  return 0;
};
