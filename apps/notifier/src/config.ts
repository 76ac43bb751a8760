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
  /** Base64 keys of 32 bytes each, separated by commas. The first one encrypts; all decrypt. */
  secretsKey: string;
  targets: TargetPolicy;
  /**
   * If undefined, no events are consumed; they stay in the outboxes of the services that emitted
   * them.
   */
  natsUrl: string | undefined;
};

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
