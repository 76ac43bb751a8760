import { readEnv, readProcessConfig, readSecretsKey, readTargetPolicy } from '@witan/service-kit';
import type { Env, LoadOptions, ProcessConfig, TargetPolicy } from '@witan/service-kit';

export type Config = {
  databaseUrl: string;
  /** Base64 keys of 32 bytes each, separated by commas. The first one encrypts; all decrypt. */
  secretsKey: string;
  targets: TargetPolicy;
  /** If true, checkpoints of the ledger's log are carried to its witnesses. */
  isCarrying: boolean;
};

export const loadConfig = (
  env: Env = process.env,
  { requiresBroker }: LoadOptions = {},
): Config & { process: ProcessConfig } =>
  readEnv('notifier', env, (read) => {
    const isCarrying = read.optional('LEDGER_ADDRESS') !== undefined;
    const calls = isCarrying ? ['ledger'] : [];
    const settings = readProcessConfig(read, calls, { hasEvents: true, requiresBroker });
    return {
      databaseUrl: read.text('DATABASE_URL'),
      secretsKey: readSecretsKey(read),
      targets: readTargetPolicy(read, settings.environment),
      // One process with all services needs no address to call the ledger.
      isCarrying: isCarrying || requiresBroker === false,
      process: settings,
    };
  });
