import {
  readEnv,
  readNatsUrl,
  readProcessConfig,
  readSecretsKey,
  readTargetPolicy,
} from '@witan/service-kit';
import type { Env, ProcessConfig, TargetPolicy } from '@witan/service-kit';

/** What the notifier needs to know. */
export type Config = {
  databaseUrl: string;
  /** Keys of 32 bytes in base64, the first of which seals: for the secrets of webhooks. */
  secretsKey: string;
  /** Where webhooks may be. */
  targets: TargetPolicy;
  /** The broker that facts come from; undefined: there is none, and facts wait for one. */
  natsUrl: string | undefined;
};

/** Reads the notifier's own part of the environment. Throws ConfigError with every fault. */
export const loadConfig = (env: Env = process.env): Config & { process: ProcessConfig } =>
  readEnv('notifier', env, (read) => {
    const settings = readProcessConfig(read, []);
    return {
      databaseUrl: read.text('DATABASE_URL'),
      secretsKey: readSecretsKey(read),
      targets: readTargetPolicy(read, settings.environment),
      natsUrl: readNatsUrl(read),
      process: settings,
    };
  });
