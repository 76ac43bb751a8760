import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, credentials } from '@grpc/grpc-js';
import { openScriptedProvider } from '@witan/testing';
import { bundleProgram } from '../bundle/bundle-program.ts';
import { PROGRAMS, SERVICES } from '../bundle/programs.ts';
import { openFleet } from '../installation/open-fleet.ts';
import type { Build, Fleet } from '../installation/open-fleet.ts';
import { openInstallation } from '../installation/open-installation.ts';
import type { Installation } from '../installation/open-installation.ts';
import { createApi, EXERCISES, runExercises } from './exercises.ts';
import { rehearseServeAll } from './rehearse-serve-all.ts';

export type RehearsalOptions = {
  root: string;
  path: string | undefined;
  /** Folder of existing bundles. If undefined, bundles are built. */
  bundles: string | undefined;
  log: (line: string) => void;
};

const MEBIBYTE = 1024 * 1024;
const SERVING_TIMEOUT_MS = 10_000;
const SERVING_POLL_MS = 50;

/**
 * Runs an installation of the bundles in empty folders, with the jobs, secrets and settings of
 * `compose.yaml` and real servers. Runs the jobs, all services and every exercise, and checks that
 * all processes exit cleanly. Then starts the services from source, and all services in one
 * process. Returns the failures.
 */
export const runRehearsal = async (options: RehearsalOptions): Promise<string[]> => {
  const { root, path, log } = options;
  const made = await mkdtemp(join(tmpdir(), 'witan-bundles-'));
  const failures: string[] = [];
  try {
    // Copied out of the repository, so that bundles cannot load its packages.
    if (options.bundles) await cp(options.bundles, made, { recursive: true });
    else await makeBundles(root, made, log);
    const cli = [join(made, 'witan/main.js')];
    await using installation = await openInstallation({ root, cli, path });
    await runJobs(installation, log);
    await using provider = await openScriptedProvider();
    const openaiUrl = provider.baseUrl;
    const bundledBuild: Build = {
      label: 'bundled',
      argvOf: () => ['main.js'],
      folderOf: async (service) => join(made, service),
    };
    const sourceBuild: Build = {
      label: 'from source',
      argvOf: (service) => [`apps/${service}/src/main.ts`],
      folderOf: async () => root,
    };
    for (const build of [bundledBuild, sourceBuild]) {
      await using fleet = await openFleet(installation, { openaiUrl });
      await startAll(fleet, build, { log, failures });
      if (build === bundledBuild) await exercise(fleet, installation, { log, failures });
      await stopAll(fleet, build, { log, failures });
    }
    failures.push(...(await rehearseServeAll({ installation, cli, openaiUrl, log })));
  } finally {
    await rm(made, { recursive: true, force: true });
  }
  return failures;
};

type Progress = { log: (line: string) => void; failures: string[] };

const makeBundles = async (
  root: string,
  folder: string,
  log: (line: string) => void,
): Promise<void> => {
  for (const program of PROGRAMS) {
    const startedAt = performance.now();
    const { files } = await bundleProgram(root, program, join(folder, program.name));
    const bytes = Object.values(files).reduce((sum, one) => sum + one, 0);
    const size = `${Object.keys(files).length} files, ${(bytes / MEBIBYTE).toFixed(1)} MiB`;
    log(`${program.name}: ${size}, in ${Math.round(performance.now() - startedAt)} ms`);
  }
};

const runJobs = async ({ runJob }: Installation, log: (line: string) => void): Promise<void> => {
  for (const argv of [
    ['provision'],
    ['migrate', 'all'],
    ['topology', 'apply'],
    ['migrate', 'all'],
  ]) {
    log(`witan ${argv.join(' ')}: ${(await runJob(argv)).trim().replaceAll('\n', '; ')}`);
  }
};

const startAll = async (fleet: Fleet, build: Build, { log, failures }: Progress): Promise<void> => {
  for (const service of SERVICES) {
    const { startMs, grpcPort, adminUrl, rssBytes } = await fleet.start(service, build);
    const isServing = grpcPort === undefined || (await waitUntilServing(grpcPort));
    const readiness = await fetch(`${adminUrl}/readyz`);
    if (!isServing || !readiness.ok) failures.push(`${service}, ${build.label}: is not healthy`);
    const mebibytes = Math.round((await rssBytes()) / MEBIBYTE);
    log(`${service}, ${build.label}: ready in ${startMs} ms, ${mebibytes} MiB`);
  }
};

const waitUntilServing = async (grpcPort: number): Promise<boolean> => {
  const deadline = Date.now() + SERVING_TIMEOUT_MS;
  for (;;) {
    if (await fetchHealth(grpcPort)) return true;
    if (Date.now() > deadline) return false;
    await delay(SERVING_POLL_MS);
  }
};

const exercise = async (
  { baseUrl, running }: Fleet,
  { runJob }: Installation,
  { log, failures }: Progress,
): Promise<void> => {
  const made = await runJob(['workspace', 'create', 'rehearsal', '--json']);
  const { apiKey } = JSON.parse(made) as { apiKey: string };
  const api = createApi(baseUrl, apiKey);
  const failed = await runExercises(api);
  for (const { name } of EXERCISES) {
    const failure = failed.get(name);
    log(`${failure === undefined ? 'ok    ' : 'FAILED'} ${name}${failure ? `: ${failure}` : ''}`);
    if (failure !== undefined) failures.push(`${name}: ${failure}`);
  }
  for (const [service, { rssBytes }] of running) {
    log(
      `${service}, bundled, after the exercises: ${Math.round((await rssBytes()) / MEBIBYTE)} MiB`,
    );
  }
};

const stopAll = async (fleet: Fleet, build: Build, { log, failures }: Progress): Promise<void> => {
  const codes: string[] = [];
  for (const service of SERVICES.toReversed()) {
    const code = await fleet.stop(service);
    codes.push(`${service} ${code}`);
    if (code !== 0) failures.push(`${service}, ${build.label}: ended with ${code} after SIGTERM`);
  }
  log(`SIGTERM, ${build.label}: ${codes.join(', ')}`);
};

/** Wire form of `HealthCheckResponse { status: SERVING }` (grpc.health.v1). */
const SERVING = '0801';
const DEADLINE_MS = 5_000;

export const fetchHealth = async (grpcPort: number): Promise<boolean> => {
  const client = new Client(`127.0.0.1:${grpcPort}`, credentials.createInsecure());
  try {
    return await new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        '/grpc.health.v1.Health/Check',
        (empty: Buffer) => empty,
        (answer: Buffer) => answer.toString('hex') === SERVING,
        Buffer.alloc(0),
        { deadline: Date.now() + DEADLINE_MS },
        (error, isServing) => (error ? reject(error) : resolve(isServing === true)),
      );
    });
  } finally {
    client.close();
  }
};
