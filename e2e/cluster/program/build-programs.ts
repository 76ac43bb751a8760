import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FOLDERS, VERSIONS, withVariables } from '../config.ts';
import { log, LOW_PRIORITY, runCommand } from '../run-command.ts';
import { COREDNS_MAIN, PAUSE_MAIN } from './go-sources.ts';
import { wrapKubernetes, wrapModule, wrapWithVersions } from './wrap-module.ts';

const KUBERNETES_PROGRAMS = [
  'kube-apiserver',
  'kubectl',
  'kube-scheduler',
  'kube-controller-manager',
  'kubelet',
  'kube-proxy',
];

/** Limit of one compilation, which takes half an hour on a busy machine with two cores. */
const BUILD_TIMEOUT_MS = 7_200_000;

type Build = { program: string; source: string; folder: string; ldflags?: string };

/**
 * Builds the programs of Kubernetes, CoreDNS, NATS and metrics-server that `FOLDERS.programs` lacks
 * from Go modules. Needs Go; the first build takes 5 minutes of an idle machine with 2 cores or
 * more.
 */
export const buildPrograms = async (): Promise<void> => {
  await mkdir(FOLDERS.programs, { recursive: true });
  const goMod = await prepareKubernetes();
  for (const program of KUBERNETES_PROGRAMS) {
    const source = `k8s.io/kubernetes/cmd/${program}`;
    await build({ program, source, folder: 'k8s', ldflags: versionFlags() });
  }
  const coredns = wrapWithVersions(goMod, `github.com/coredns/coredns ${VERSIONS.coredns}`);
  await prepare('coredns', { 'go.mod': coredns, 'main.go': COREDNS_MAIN });
  await build({ program: 'coredns', source: '.', folder: 'coredns' });
  await prepare('pause', { 'go.mod': 'module pause\n\ngo 1.25.0\n', 'main.go': PAUSE_MAIN });
  await build({ program: 'pause', source: '.', folder: 'pause' });
  const nats = 'github.com/nats-io/nats-server/v2';
  await prepare('nats', { 'go.mod': wrapModule(`${nats} ${VERSIONS.nats}`, '1.25.0') });
  await build({ program: 'nats-server', source: nats, folder: 'nats' });
  const metrics = 'sigs.k8s.io/metrics-server';
  const metricsMod = wrapModule(`${metrics} ${VERSIONS.metricsServer}`, '1.26.0');
  await prepare('metrics-server', { 'go.mod': metricsMod });
  const source = `${metrics}/cmd/metrics-server`;
  await build({ program: 'metrics-server', source, folder: 'metrics-server' });
};

/** Returns the go.mod of Kubernetes' programs; writes it unless the folder has one. */
const prepareKubernetes = async (): Promise<string> => {
  const path = join(FOLDERS.sources, 'k8s/go.mod');
  const existing = await readFile(path, 'utf8').catch(() => undefined);
  if (existing !== undefined) return existing;
  const download = ['go', 'mod', 'download', '-json'] as const;
  const answer = await runCommand([...download, `k8s.io/kubernetes@${VERSIONS.kubernetes}`]);
  const { GoMod } = JSON.parse(answer) as { GoMod: string };
  const goMod = wrapKubernetes(await readFile(GoMod, 'utf8'), VERSIONS.kubernetes);
  await prepare('k8s', { 'go.mod': goMod });
  return goMod;
};

/** Writes the files that the folder lacks. */
const prepare = async (folder: string, files: Readonly<Record<string, string>>): Promise<void> => {
  const path = join(FOLDERS.sources, folder);
  await mkdir(path, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    if (!existsSync(join(path, name))) await writeFile(join(path, name), content);
  }
};

const build = async ({ program, source, folder, ldflags = '' }: Build): Promise<void> => {
  const output = join(FOLDERS.programs, program);
  if (existsSync(output)) return;
  const startedAt = performance.now();
  log(`building ${program}`);
  // The version control of the folder is not that of the program. `-mod=mod` lets Go complete
  // go.sum; `go mod tidy` would fetch what the tests of all dependencies need.
  const flags = ['-mod=mod', '-trimpath', '-buildvcs=false', '-ldflags', `-s -w ${ldflags}`];
  await runCommand([...LOW_PRIORITY, 'go', 'build', ...flags, '-o', `${output}.new`, source], {
    cwd: join(FOLDERS.sources, folder),
    env: withVariables({ CGO_ENABLED: '0' }),
    timeoutMs: BUILD_TIMEOUT_MS,
  });
  await rename(`${output}.new`, output);
  log(`built ${program} in ${Math.round((performance.now() - startedAt) / 1_000)} s`);
};

/** A build from modules has no version of its own, and components refuse others without one. */
const versionFlags = (): string => {
  const [, major, minor] = /^v(\d+)\.(\d+)/.exec(VERSIONS.kubernetes)!;
  const values = {
    gitVersion: VERSIONS.kubernetes,
    gitMajor: major,
    gitMinor: minor,
    gitTreeState: 'clean',
    gitCommit: 'module',
  };
  return ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version']
    .flatMap((name) => Object.entries(values).map(([key, value]) => `-X ${name}.${key}=${value}`))
    .join(' ');
};
