import { ConfigError } from '@witan/service-kit';
import { KIT_README, KUBERNETES_GUIDE, readmeOf, TELEMETRY_GUIDE, textOf } from '../files.ts';
import type { Files } from '../files.ts';
import { at, listAt, objectAt, textAt, toText } from '../manifest.ts';
import type { JsonObject } from '../manifest.ts';
import { findService, manifestsOfKind } from '../rendered.ts';
import type { Rendered, Workload } from '../rendered.ts';

type Env = Readonly<Record<string, string | undefined>>;
/** A service's configuration loader. Throws ConfigError with all errors. */
export type LoadConfig = (env: Env) => unknown;
export type Readers = Readonly<Record<string, LoadConfig>>;

/**
 * The error of a loader that reads a file. Its content is not known here; checkReferences checks
 * that the file is mounted.
 */
const UNREADABLE_FILE = /^\w+_FILE: ENOENT\b/;
const NODE_VARIABLES = ['NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS'];

const SAMPLES: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgresql://role:password@postgres:5432/witan',
  NATS_URL: 'nats://user:password@nats:4222',
  WITAN_LOG_ORIGIN: 'log.example.com/witan',
  WITAN_SECRETS_KEY: Buffer.alloc(32).toString('base64'),
};

/**
 * Checks that each service's loader accepts its environment, that every variable that it reads is
 * set or documented, and that no workload sets a variable twice or sets one that it does not read.
 */
export const checkEnvironment = (
  rendered: Rendered,
  { readers, files }: { readers: Readers; files: Files },
): string[] => [
  ...Object.entries(readers).flatMap(([service, load]) => {
    const workload = findService(rendered, service);
    if (!workload) return [];
    const documents = [KIT_README, KUBERNETES_GUIDE, TELEMETRY_GUIDE, readmeOf(service)];
    const known = documents.map((path) => textOf(files, path)).join('\n');
    return checkService(rendered, workload, { load, known });
  }),
  ...rendered.workloads.flatMap((workload) => [
    ...checkDuplicates(workload),
    ...checkJob(workload, Object.keys(readers)),
  ]),
];

const checkService = (
  rendered: Rendered,
  workload: Workload,
  { load, known }: { load: LoadConfig; known: string },
): string[] => {
  const { title } = workload;
  const env = environmentOf(rendered, workload);
  const read = findReadVariables(load);
  return [
    ...Object.keys(env)
      .filter((name) => !read.has(name) && !NODE_VARIABLES.includes(name))
      .map((name) => `${title} sets ${name}, which none of its containers reads.`),
    ...[...read]
      .filter((name) => !(name in env) && !known.includes(`\`${name}\``))
      .map((name) => `${title} reads ${name}: set it, or document that it may be absent.`),
    ...errorsOf(load, env)
      .filter((error) => !UNREADABLE_FILE.test(error))
      .map((error) => `${title} would not start: ${error}.`),
  ];
};

/**
 * Returns the variables that a loader reads. Runs the loader with no variable set and with all set,
 * because a loader reads some variables only if others are set. Values are URLs, which most loaders
 * accept.
 */
export const findReadVariables = (load: LoadConfig): ReadonlySet<string> => {
  const names = new Set<string>();
  for (const value of [undefined, 'https://example.invalid']) {
    const env: Env = new Proxy<Env>(
      {},
      {
        get: (_target, name) => {
          names.add(String(name));
          return value;
        },
      },
    );
    errorsOf(load, env);
  }
  return names;
};

const errorsOf = (load: LoadConfig, env: Env): readonly string[] => {
  try {
    load(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.errors;
    throw error;
  }
};

const variablesOf = ({ containers }: Workload): JsonObject[] =>
  containers.flatMap((container) => listAt(container, 'env'));

/** Returns the variables of a workload; secrets have sample values. */
export const environmentOf = (rendered: Rendered, workload: Workload): Record<string, string> =>
  Object.fromEntries(
    variablesOf(workload).map((variable) => {
      const name = textAt(variable, 'name');
      const reference = objectAt(variable, 'valueFrom', 'configMapKeyRef');
      const map = manifestsOfKind(rendered, 'ConfigMap').find(
        ({ metadata }) => metadata.name === reference.name,
      );
      const value = map ? textAt(map, 'data', textAt(reference, 'key')) : variable.value;
      return [name, typeof value === 'string' ? value : (SAMPLES[name] ?? 'a secret')];
    }),
  );

const checkDuplicates = (workload: Workload): string[] => {
  const seen = new Set<string>();
  return variablesOf(workload)
    .map((variable) => textAt(variable, 'name'))
    .filter((name) => seen.size === seen.add(name).size)
    .map((name) => `${workload.title} sets ${name} twice.`);
};

const readByCommand = (command: string, services: readonly string[]): string[] | undefined => {
  const own = services.map((name) => `${name.toUpperCase().replaceAll('-', '_')}_DATABASE_URL`);
  const known: Readonly<Record<string, string[]>> = {
    migrate: ['DATABASE_URL'],
    topology: ['NATS_URL'],
    provision: ['DATABASE_URL', ...own],
  };
  return known[command];
};

const checkJob = (workload: Workload, services: readonly string[]): string[] => {
  if (workload.manifest.kind !== 'Job') return [];
  const args = at(workload.containers[0], 'args');
  const command = Array.isArray(args) ? toText(args[0]) : '';
  const read = readByCommand(command, services);
  if (!read) return [`${workload.title} runs ${command || 'nothing'}, no command of a release.`];
  const set = variablesOf(workload).map((variable) => textAt(variable, 'name'));
  return [
    ...read
      .filter((name) => !set.includes(name))
      .map((name) => `${workload.title} does not set ${name}, which ${command} reads.`),
    ...set
      .filter((name) => !read.includes(name))
      .map((name) => `${workload.title} sets ${name}, which ${command} does not read.`),
  ];
};
