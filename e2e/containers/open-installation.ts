import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { getContainerRuntimeClient, GenericContainer, Network, Wait } from 'testcontainers';
import type { StartedTestContainer } from 'testcontainers';
import { VERSION } from '@witan/service-kit/release';
import { parse } from 'yaml';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SECRETS = '/run/witan';
const STARTUP_TIMEOUT_MS = 180_000;
const HEALTH = { interval: 1_000, timeout: 5_000, retries: 120 };
const HTTP_PORT = 8080;
/** In the order of their start. */
const SERVICES = ['ledger', 'llm-gateway', 'notifier', 'agents', 'simulation', 'api-gateway'];

type Service = { image: string; environment?: Record<string, string | number | null> };
type Compose = { services: Record<string, Service> };

/** Values of the variables of compose.yaml; others have its defaults. */
const VARIABLES: Readonly<Record<string, string>> = {
  WITAN_VERSION: VERSION,
  WITAN_DEFAULT_PROVIDER: 'offline',
  OTEL_EXPORTER_OTLP_ENDPOINT: '',
};

const readCompose = async (): Promise<Compose['services']> => {
  const file = await readFile(`${ROOT}compose.yaml`, 'utf8');
  const replaced = file.replaceAll(
    /\$\{(\w+)(?::?-([^}]*))?\}/g,
    (_all, name: string, byDefault = '') => VARIABLES[name] ?? byDefault,
  );
  return (parse(replaced, { merge: true }) as Compose).services;
};

/** Returns why no container can be started, or undefined if an engine answers. */
export const findEngineProblem = async (): Promise<string | undefined> => {
  try {
    await getContainerRuntimeClient();
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return `no engine answers on a socket of the Docker API; set DOCKER_HOST (${message})`;
  }
};

export type ContainerInstallation = AsyncDisposable & { baseUrl: string; apiKey: string };

/**
 * Starts PostgreSQL, NATS and the images of this version with the jobs and settings of
 * compose.yaml, in a network of their own. `WITAN_POSTGRES_IMAGE` and `WITAN_NATS_IMAGE` replace
 * the images that compose.yaml names.
 */
export const openInstallation = async (): Promise<ContainerInstallation> => {
  const services = await readCompose();
  await using resources = new AsyncDisposableStack();
  const { container: engine } = await getContainerRuntimeClient();
  const volume = `witan-${randomUUID()}`;
  resources.defer(() => engine.dockerode.getVolume(volume).remove());
  const network = await new Network().start();
  resources.defer(async () => void (await network.stop()));
  const create = (image: string, alias: string): GenericContainer =>
    new GenericContainer(image)
      .withNetwork(network)
      .withNetworkAliases(alias)
      .withBindMounts([{ source: volume, target: SECRETS, mode: 'rw' }])
      .withStartupTimeout(STARTUP_TIMEOUT_MS);
  const start = async (container: GenericContainer): Promise<StartedTestContainer> => {
    const started = await container.start();
    resources.defer(async () => void (await started.stop()));
    return started;
  };
  /** Runs a program of the command line's image to its end and returns its output. */
  const run = async (entrypoint: string[], command: string[] = []): Promise<string> => {
    const job = create(services['secrets']!.image, 'job')
      .withEntrypoint(entrypoint)
      .withCommand(command)
      .withWaitStrategy(Wait.forOneShotStartup());
    return await text(await (await start(job)).logs());
  };
  const runJob = (...command: string[]): Promise<string> =>
    run(['node', `--env-file=${SECRETS}/operator/service.env`, '/app/main.js'], command);

  const mount = ['--mount', `${SECRETS}/{service}`];
  await run(['node', '/app/main.js'], ['secrets', 'create', SECRETS, ...mount]);
  const printPassword = `console.log(fs.readFileSync('${SECRETS}/postgres/password', 'utf8'))`;
  const password = (await run(['node', '-e', printPassword])).trim();
  await startStores(services, { create, start, password });
  await runJob('provision');
  await runJob('migrate', 'all');
  await runJob('topology', 'apply');
  const [apiKey = ''] = /sk_live_\w+/.exec(await runJob('workspace', 'create', 'mine')) ?? [];

  const gateway = await startServices(services, { create, start });
  const baseUrl = `http://${gateway.getHost()}:${gateway.getMappedPort(HTTP_PORT)}`;
  const opened = resources.move();
  return { baseUrl, apiKey, [Symbol.asyncDispose]: () => opened.disposeAsync() };
};

type Starting = {
  create: (image: string, alias: string) => GenericContainer;
  start: (container: GenericContainer) => Promise<StartedTestContainer>;
};

/** Starts PostgreSQL and NATS. */
const startStores = async (
  services: Compose['services'],
  { create, start, password }: Starting & { password: string },
): Promise<void> => {
  const { WITAN_POSTGRES_IMAGE = services['postgres']!.image } = process.env;
  const { WITAN_NATS_IMAGE = services['nats']!.image } = process.env;
  await start(
    create(WITAN_POSTGRES_IMAGE, 'postgres')
      .withEnvironment({ POSTGRES_DB: 'witan', POSTGRES_PASSWORD: password })
      .withHealthCheck({
        test: ['CMD', 'pg_isready', '--username', 'postgres', '--host', '127.0.0.1'],
        ...HEALTH,
      })
      .withWaitStrategy(Wait.forHealthCheck()),
  );
  const settings = await readFile(`${ROOT}deploy/docker/nats.conf`, 'utf8');
  const content = settings.replace('secrets/', `../..${SECRETS}/nats/`);
  await start(
    create(WITAN_NATS_IMAGE, 'nats')
      .withCopyContentToContainer([{ content, target: '/etc/nats/nats.conf' }])
      .withCommand(['--config', '/etc/nats/nats.conf', '--store_dir', '/tmp/nats'])
      .withWaitStrategy(Wait.forLogMessage('Server is ready')),
  );
};

/** Starts the six services, and returns the container of the api-gateway. */
const startServices = async (
  services: Compose['services'],
  { create, start }: Starting,
): Promise<StartedTestContainer> => {
  let gateway: StartedTestContainer | undefined;
  for (const name of SERVICES) {
    const { image, environment = {} } = services[name]!;
    const entries = Object.entries(environment)
      .filter(([, value]) => value !== null)
      .map(([key, value]) => [key, String(value)]);
    const service = create(image, name)
      .withEntrypoint(['node', `--env-file=${SECRETS}/${name}/service.env`, '/app/main.js'])
      .withEnvironment(Object.fromEntries(entries) as Record<string, string>)
      // That of the Dockerfile, which is not part of an image in the OCI format of buildah.
      .withHealthCheck({ test: ['CMD', 'node', '/app/healthcheck.js'], ...HEALTH })
      .withWaitStrategy(Wait.forHealthCheck());
    if (name === 'api-gateway') service.withExposedPorts(HTTP_PORT);
    gateway = await start(service);
  }
  return gateway!;
};
