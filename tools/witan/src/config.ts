/** Where the system's state is, or what of a system is given directly. */
export type CliConfig = {
  home: string;
  databaseUrl: string | undefined;
  natsUrl: string | undefined;
  baseUrl: string | undefined;
  apiKey: string | undefined;
};

type Env = Readonly<Record<string, string | undefined>>;

/** The environment of the command. */
export const readCliConfig = (env: Env = process.env): CliConfig => ({
  home: env.WITAN_HOME?.trim() || '.witan',
  databaseUrl: env.DATABASE_URL?.trim() || undefined,
  natsUrl: env.NATS_URL?.trim() || undefined,
  baseUrl: env.WITAN_BASE_URL?.trim() || undefined,
  apiKey: env.WITAN_API_KEY?.trim() || undefined,
});

/** Everything that services are started with, for `serve all`. */
export const readServeEnv = (): Env => process.env;

/** The variable with the URL of a service's own role, where several are given. */
export const databaseVariable = (service: string): string =>
  `${service.toUpperCase().replaceAll('-', '_')}_DATABASE_URL`;

/** The URL of a service's own role; undefined when it is not given. */
export const readDatabaseUrl = (service: string, env: Env = process.env): string | undefined =>
  env[databaseVariable(service)]?.trim() || undefined;
