import type { Env } from '@witan/service-kit';
import { PostgresError } from '@witan/stack/postgres/postgres-error';
import { fail, skipped, warn } from './check.ts';
import type { Check } from './check.ts';
import { findInstallation } from './find-installation.ts';
import type { Installation } from './find-installation.ts';
import { judgeBroker } from './judge-broker.ts';
import { DATE_UNCERTAINTY_MS, judgeOffset } from './judge-clock.ts';
import { judgeServer, judgeServiceDatabase } from './judge-database.ts';
import type { DatabaseFacts, DatabaseState } from './judge-database.ts';
import { judgeModes, judgeSecretsKey, judgeServiceKeys, judgeSigningKey } from './judge-keys.ts';
import { judgeApi, judgeDisk, judgeNode, judgePort, judgeReadiness } from './judge-machine.ts';
import { judgeProvider } from './judge-provider.ts';
import { judgeTls } from './judge-tls.ts';
import { readDatabase } from './read-database.ts';
import { readDisks, readKeys, readModes, readTls } from './read-files.ts';
import { readApi, readBroker, readPort, readReadiness } from './read-network.ts';
import type { ApiState } from './read-network.ts';
import { readProviders } from './read-providers.ts';

export type Report = { title: string; checks: readonly Check[] };

/** Checks the installation that the environment and the home describe; changes nothing. */
export const runChecks = async (env: Env, nodeVersion: string): Promise<Report> => {
  const installation = await findInstallation(env);
  const api = installation.api && (await readApi(installation.api));
  const { title } = installation;
  if (api && installation.isRemote) {
    return { title, checks: [judgeNode(nodeVersion), ...checkApi(api)] };
  }
  const parts = await Promise.all([
    checkDatabases(installation),
    checkBroker(installation),
    checkProviders(installation),
    checkFiles(installation, api),
    checkProcesses(installation, api),
  ]);
  return { title, checks: [judgeNode(nodeVersion), ...parts.flat()] };
};

const checkDatabases = async ({
  databases,
  home,
  isConfigured,
}: Installation): Promise<Check[]> => {
  if (databases.length === 0) {
    const reason = isConfigured
      ? 'no service has a database'
      : `no system runs in ${home}: its database is checked while it runs`;
    return [skipped('database', reason)];
  }
  const facts = await Promise.all(databases.map(readDatabase));
  return [...facts.flatMap(judgeServiceDatabase), ...judgeServers(facts)];
};

/** Judges each server once, although several services log in to it. */
const judgeServers = (facts: readonly DatabaseFacts[]): Check[] => {
  const reached = facts.flatMap((one) => ('error' in one ? [] : [one]));
  const servers = Map.groupBy(reached, ({ place }) => place);
  return [...servers.values()].flatMap((services) =>
    judgeServer(services[0] as DatabaseState & { place: string }, services.length),
  );
};

const checkBroker = async ({ natsUrl }: Installation): Promise<Check[]> =>
  natsUrl === undefined
    ? [skipped('broker', 'NATS_URL is not set: events move within the process')]
    : judgeBroker(await readBroker(natsUrl));

const SERVICE_WITH_PROVIDERS = 'llm-gateway';

const checkProviders = async (installation: Installation): Promise<Check[]> => {
  const { env, isConfigured, service } = installation;
  if (service !== undefined && service !== SERVICE_WITH_PROVIDERS) {
    return [skipped('providers', 'only the llm-gateway calls them')];
  }
  if (isConfigured && !env['WITAN_SECRETS_KEY']?.trim()) {
    const reason = 'the environment is that of jobs: the llm-gateway has WITAN_SECRETS_KEY';
    return [skipped('providers', reason)];
  }
  const environment = isConfigured ? 'production' : 'development';
  const found = await readProviders({ ...env, WITAN_ENV: env['WITAN_ENV']?.trim() || environment });
  if ('errors' in found) {
    const advice = 'Correct these variables; README.md lists those of the providers.';
    return [fail('providers', { message: `${found.errors.join('; ')}.`, advice })];
  }
  const checks = found.providers.flatMap(judgeProvider);
  if (!found.offlineIsDefault) return checks;
  const message = 'The offline provider answers: its answers are fixed texts.';
  const advice =
    'Set OPENAI_API_KEY, ANTHROPIC_API_KEY, WITAN_PROVIDERS_FILE, or LOCAL_BASE_URL and ' +
    'LOCAL_MODEL here too.';
  return [...checks, warn('providers', { message, advice })];
};

const checkFiles = async (
  installation: Installation,
  api: ApiState | undefined,
): Promise<Check[]> => {
  const keys = await readKeys(installation);
  const mounted = installation.isConfigured;
  return [
    judgeSecretsKey(keys.secretsKey),
    judgeSigningKey(keys.signingKey, api?.publishedKeys),
    judgeServiceKeys(keys.serviceKeys, keys.publicKeys),
    judgeModes(await readModes(installation), { mounted }),
    ...judgeTls(await readTls(installation)),
    ...(await checkDisks(installation)),
  ];
};

const checkDisks = async (installation: Installation): Promise<Check[]> => {
  try {
    return (await readDisks(installation)).map(judgeDisk);
  } catch (error) {
    if (!(error instanceof PostgresError)) throw error;
    const advice = 'Until then the system cannot start.';
    return [fail('disk database', { message: error.message, advice })];
  }
};

const checkApi = ({ api, offsetMs }: ApiState): Check[] => [
  judgeApi(api),
  ...(offsetMs === undefined
    ? []
    : [judgeOffset('api clock', { offsetMs, uncertaintyMs: DATE_UNCERTAINTY_MS, of: 'the API' })]),
];

const checkProcesses = async (
  installation: Installation,
  api: ApiState | undefined,
): Promise<Check[]> => {
  const { adminUrls, isConfigured, isRunning } = installation;
  const checks = api ? checkApi(api) : [skipped('api', 'WITAN_BASE_URL is not set')];
  const readiness = await readReadiness(adminUrls);
  // Commands run beside a service as often as in its container.
  if (isConfigured && readiness.every(({ checks: found }) => found === undefined)) {
    return [...checks, skipped('services', 'no service runs here: no admin port responds')];
  }
  checks.push(judgeReadiness(readiness));
  if (isRunning || isConfigured) return checks;
  return [...checks, judgePort(await readPort(installation))];
};
