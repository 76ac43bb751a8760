import { parseArgs } from 'node:util';
import { writeSecrets } from '../secrets/write-secrets.ts';
import type { SecretsPlan } from '../secrets/write-secrets.ts';
import { UsageError } from '../usage.ts';

const MOUNT = '/run/witan';
const DATABASE_URL = 'postgres://postgres@postgres:5432/witan';
const NATS_URL = 'nats://nats:4222';

/**
 * Runs `witan secrets create FOLDER [--mount PATH] [--database URL] [--nats URL]`: creates missing
 * keys and passwords of an installation and prints none.
 */
export const runSecrets = async (argv: readonly string[]): Promise<number> => {
  const plan = parse(argv);
  await writeSecrets(plan);
  process.stdout.write(`The keys and passwords are in ${plan.folder}.\n`);
  return 0;
};

const parse = (argv: readonly string[]): SecretsPlan => {
  const options = {
    mount: { type: 'string', default: MOUNT },
    database: { type: 'string', default: DATABASE_URL },
    nats: { type: 'string', default: NATS_URL },
  } as const;
  try {
    const { positionals, values } = parseArgs({
      args: [...argv],
      options,
      allowPositionals: true,
    });
    const [action, folder, ...rest] = positionals;
    if (action !== 'create' || !folder || rest.length > 0) {
      throw new Error('witan secrets takes create FOLDER.');
    }
    const { mount, database, nats } = values;
    if (!URL.canParse(database) || new URL(database).username === '') {
      throw new Error(`--database takes a URL with an admin's name, such as ${DATABASE_URL}.`);
    }
    if (!URL.canParse(nats)) throw new Error(`--nats takes a URL, such as ${NATS_URL}.`);
    return { folder, mount, databaseUrl: database, natsUrl: nats };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
};
