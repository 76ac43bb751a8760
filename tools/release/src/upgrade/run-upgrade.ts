import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openScriptedProvider } from '@witan/testing';
import { SERVICES } from '../bundle/programs.ts';
import { openFleet } from '../installation/open-fleet.ts';
import type { Build, Fleet } from '../installation/open-fleet.ts';
import { openInstallation } from '../installation/open-installation.ts';
import { createApi, EXERCISES, runExercises } from '../rehearsal/exercises.ts';
import type { Api } from '../rehearsal/exercises.ts';

export type UpgradeOptions = {
  root: string;
  from: { revision: string } | { tree: string };
  env: Readonly<Record<string, string | undefined>>;
  log: (line: string) => void;
};

export type Step = { state: string; failures: ReadonlyMap<string, string> };

/**
 * Upgrades an installation of an earlier revision as in `docs/upgrading.md`, with running services:
 * migrates while the old services run, replaces one service after another, and rolls back. Runs
 * every exercise after each step. The first step is the earlier revision alone, so that exercises
 * which it does not support are known.
 */
export const runUpgrade = async (options: UpgradeOptions): Promise<Step[]> => {
  const { root, from, env, log } = options;
  if ('tree' in from) return await upgradeFrom(resolve(from.tree), options);
  const clone = await mkdtemp(join(tmpdir(), 'witan-upgrade-'));
  try {
    const { revision } = from;
    log(`from ${await checkOutRevision({ root, revision, folder: clone, env })}`);
    return await upgradeFrom(clone, options);
  } finally {
    await rm(clone, { recursive: true, force: true });
  }
};

const upgradeFrom = async (clone: string, { root, env, log }: UpgradeOptions): Promise<Step[]> => {
  const oldBuild = toBuild('old', clone);
  const newBuild = toBuild('new', root);
  const cli = [join(root, CLI_MAIN)];
  await using installation = await openInstallation({ root, cli, path: env.PATH });
  await using provider = await openScriptedProvider();
  await using fleet = await openFleet(installation, { openaiUrl: provider.baseUrl });
  await installation.runJob(['provision']);
  await installation.runJob(['topology', 'apply'], { cli: [join(clone, CLI_MAIN)] });
  const oldServices = SERVICES.filter((service) => hasService(clone, service));
  const steps: Step[] = [];
  const runStep = async (state: string, api: Api): Promise<void> => {
    const step = { state, failures: await runExercises(api) };
    steps.push(step);
    log(describeStep(step));
  };
  for (const service of oldServices) await fleet.start(service, oldBuild);
  const made = await installation.runJob(['workspace', 'create', 'upgrade', '--json'], {
    envFile: installation.envFileOf('api-gateway'),
    cli: [join(clone, CLI_MAIN)],
  });
  const api = createApi(fleet.baseUrl, (JSON.parse(made) as { apiKey: string }).apiKey);
  await runStep('old services, old schema', api);
  log(`migrated: ${(await installation.runJob(['migrate', 'all'])).trim().split('\n').join('; ')}`);
  await installation.runJob(['topology', 'apply']);
  await runStep('old services, running since before the migrations', api);
  for (const service of oldServices) await replaceService(fleet, service, oldBuild);
  await runStep('old services, started on the new schema', api);
  for (const service of SERVICES) {
    await replaceService(fleet, service, newBuild);
    await runStep(`${service} is new${service === SERVICES.at(-1) ? ', as all are' : ''}`, api);
  }
  for (const service of oldServices.toReversed()) await replaceService(fleet, service, oldBuild);
  await runStep('rolled back: old services on data of new ones', api);
  await replaceService(fleet, 'api-gateway', newBuild);
  await runStep('out of order: only the api-gateway is new', api);
  return steps;
};

const CLI_MAIN = 'tools/witan/src/main.ts';

const toBuild = (label: string, root: string): Build => ({
  label,
  argvOf: (service) => ['--disable-warning=ExperimentalWarning', toMainFile(service)],
  folderOf: async () => root,
});

const toMainFile = (service: string): string => `apps/${service}/src/main.ts`;

const hasService = (root: string, service: string): boolean =>
  existsSync(join(root, toMainFile(service)));

const replaceService = async (fleet: Fleet, service: string, build: Build): Promise<void> => {
  const code = await fleet.stop(service);
  if (code !== undefined && code !== 0) throw new Error(`${service} ended with ${code}.`);
  await fleet.start(service, build);
  await waitUntilReady(fleet);
};

/**
 * Waits until every service is ready. Each service has one replica, and callers notice a restart
 * only at their next health check.
 */
const waitUntilReady = async ({ running }: Fleet): Promise<void> => {
  for (const [service, { adminUrl }] of running) {
    for (const deadline = Date.now() + READY_LIMIT_MS; ; await pause(POLL_MS)) {
      if ((await fetch(`${adminUrl}/readyz`)).ok) break;
      if (Date.now() > deadline) throw new Error(`${service} was not ready again in time.`);
    }
  }
};

const READY_LIMIT_MS = 30_000;
const POLL_MS = 100;

const describeStep = ({ state, failures }: Step): string => {
  const lines = [...failures].map(([name, failure]) => `    ${name}: ${failure}`);
  return [`${state}: ${EXERCISES.length - failures.size} of ${EXERCISES.length}`, ...lines].join(
    '\n',
  );
};

const run = promisify(execFile);
const INSTALL_TIMEOUT_MS = 10 * 60_000;
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Clones an earlier revision, installs its locked dependencies and returns its full commit id.
 * Throws if the repository does not have the revision, for example because it is a shallow clone.
 */
export const checkOutRevision = async (options: {
  root: string;
  revision: string;
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
}): Promise<string> => {
  const { root, revision, folder, env } = options;
  const git = async (...argv: string[]): Promise<string> =>
    (await run('git', argv, { cwd: root, env })).stdout.trim();
  const id = await git('rev-parse', '--verify', `${revision}^{commit}`);
  await git('clone', '--quiet', '--shared', '--no-checkout', root, folder);
  await git('-C', folder, 'checkout', '--quiet', id);
  const install = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  await run('npm', install, {
    cwd: join(folder),
    env,
    timeout: INSTALL_TIMEOUT_MS,
    maxBuffer: OUTPUT_BYTES_MAX,
  });
  return id;
};

export const findRegressions = ([first, ...later]: readonly Step[]): string[] =>
  later.flatMap(({ state, failures }) =>
    [...failures]
      .filter(([name]) => first?.failures.has(name) === false)
      .map(([name, failure]) => `${state}: ${name}: ${failure}`),
  );
