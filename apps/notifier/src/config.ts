import { readEnv, readProcessConfig, readSecretsKey, readTargetPolicy } from '@witan/service-kit';
import type { Env, LoadOptions, ProcessConfig, TargetPolicy } from '@witan/service-kit';

export type Config = {
  databaseUrl: string;
  /** Base64 keys of 32 bytes each, separated by commas. The first one encrypts; all decrypt. */
  secretsKey: string;
  targets: TargetPolicy;
};

export const loadConfig = (
  env: Env = process.env,
  { requiresBroker }: LoadOptions = {},
): Config & { process: ProcessConfig } =>
  readEnv('notifier', env, (read) => {
    const settings = readProcessConfig(read, ['ledger'], { hasEvents: true, requiresBroker });
    return {
      databaseUrl: read.text('DATABASE_URL'),
      secretsKey: readSecretsKey(read),
      targets: readTargetPolicy(read, settings.environment),
      process: settings,
    };
  });
