import {
  readEnv,
  readNatsUrl,
  readProcessConfig,
  readSecretsKey,
  readTargetPolicy,
} from '@witan/service-kit';
import type { Env, ProcessConfig, TargetPolicy } from '@witan/service-kit';

export type Config = {
  databaseUrl: string;
  /** Keys of 32 bytes in base64 for the secrets of webhooks; the first encrypts. */
  secretsKey: string;
  /** The addresses that webhooks may have. */
  targets: TargetPolicy;
  /** The broker that events come from; undefined: events wait in the outboxes. */
  natsUrl: string | undefined;
};

/** Reads the notifier's environment variables. Throws ConfigError that lists every invalid one. */
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
