/** The environment of the command: where the system's state is, or a database given directly. */
export const readCliConfig = (
  env: Readonly<Record<string, string | undefined>> = process.env,
): { home: string; databaseUrl: string | undefined } => ({
  home: env.WITAN_HOME?.trim() || '.witan',
  databaseUrl: env.DATABASE_URL?.trim() || undefined,
});
