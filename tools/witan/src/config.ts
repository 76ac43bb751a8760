/** Where the system's state is, or what of a system is given directly. */
export type CliConfig = {
  home: string;
  databaseUrl: string | undefined;
  natsUrl: string | undefined;
  baseUrl: string | undefined;
  apiKey: string | undefined;
};

/** The environment of the command. */
export const readCliConfig = (
  env: Readonly<Record<string, string | undefined>> = process.env,
): CliConfig => ({
  home: env.WITAN_HOME?.trim() || '.witan',
  databaseUrl: env.DATABASE_URL?.trim() || undefined,
  natsUrl: env.NATS_URL?.trim() || undefined,
  baseUrl: env.WITAN_BASE_URL?.trim() || undefined,
  apiKey: env.WITAN_API_KEY?.trim() || undefined,
});
