// Runs a service that waits for a database that is never there: FOLDER of its keys, WAIT_MS.
import { join } from 'node:path';
import { readEnv } from '../src/config/read-env.ts';
import { readProcessConfig } from '../src/boot/process-config.ts';
import { runProcess } from '../src/boot/run-process.ts';
import { openDatabase } from '../src/database/open-database.ts';

const [folder = '', waitMs] = process.argv.slice(2);
const env = {
  WITAN_SERVICE_KEY_FILE: join(folder, 'service-key.pem'),
  WITAN_SERVICE_PUBLIC_KEYS: join(folder, 'keys.json'),
};
await runProcess({
  name: 'ledger',
  loadConfig: () => readEnv('ledger', env, (read) => ({ process: readProcessConfig(read, []) })),
  callGraph: {},
  create: async (_config, { log }) => {
    const url = 'postgres://witan_ledger:secret@127.0.0.1:1/witan';
    const options = { url, schema: 'ledger', entities: [], migrations: [], log };
    const database = await openDatabase({ ...options, waitMs: Number(waitMs) });
    return {
      implementations: [],
      checks: { database: database.check },
      stop: async () => database[Symbol.asyncDispose](),
    };
  },
});
