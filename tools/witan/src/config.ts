export type CliConfig = {
  home: string;
  databaseUrl: string | undefined;
  natsUrl: string | undefined;
  baseUrl: string | undefined;
  apiKey: string | undefined;
};

type Env = Readonly<Record<string, string | undefined>>;

export const readCliConfig = (env: Env = process.env): CliConfig => ({
  home: env.WITAN_HOME?.trim() || '.witan',
  databaseUrl: env.DATABASE_URL?.trim() || undefined,
  natsUrl: env.NATS_URL?.trim() || undefined,
  baseUrl: env.WITAN_BASE_URL?.trim() || undefined,
  apiKey: env.WITAN_API_KEY?.trim() || undefined,
});

export const readServeEnv = (): Env => process.env;

export const databaseVariable = (service: string): string =>
  `${service.toUpperCase().replaceAll('-', '_')}_DATABASE_URL`;

export const readDatabaseUrl = (service: string, env: Env = process.env): string | undefined =>
  env[databaseVariable(service)]?.trim() || undefined;
