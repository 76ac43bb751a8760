import { printReport, runPart } from '../../faults/run-part.ts';
import type { Part, Round, RoundOutcome } from '../../faults/run-part.ts';
import { writeResult } from '../../faults/with-home.ts';
import { FOLDERS } from '../config.ts';
import {
  composeOverlay,
  findInstallation,
  installOverlay,
  removeInstallation,
} from '../install/installation.ts';
import type { Installation, OverlayName } from '../install/installation.ts';
import { applyText, getObjects, kubectl } from '../kubectl.ts';
import { log } from '../run-command.ts';
import { listAdmissionRounds } from './admission-rounds.ts';
import { checkMinimum, growUnderTraffic } from './autoscaling-round.ts';
import { listDisturbances, restartAll, runUnderTraffic } from './disturbance-rounds.ts';
import { FREEZE_ROUND, POD_ROUNDS } from './pod-rounds.ts';
import { awaitSettled, listServicePods, restartsOf } from './pods.ts';
import { removePostgres } from './postgres-round.ts';
import { readVersions } from './read-versions.ts';
import { listServiceRounds } from './service-rounds.ts';

export type VerifyOptions = { part?: string | undefined; only: string; reuse: boolean };

export const VERIFY_USAGE = `Options of verify:
  --part NAME     only this part: admission, dev, prod, autoscaling
  --only TEXT     only rounds whose name contains the text; writes no result
  --reuse         checks the overlay that is installed; writes no result`;

/** Runs the parts and writes a result for each; sets the exit code to 1 after a violation. */
export const verify = async ({ part, only, reuse }: VerifyOptions): Promise<void> => {
  const all = createParts(reuse);
  const names = part === undefined ? Object.keys(all) : [part];
  for (const name of names) {
    const chosen = all[name];
    if (chosen === undefined) throw new Error(`There is no part "${name}".\n${VERIFY_USAGE}`);
    log(`\n${name}: ${chosen.summary}`);
    const report = await runPart(chosen, { home: FOLDERS.state, seed: 0, only, rounds: Infinity });
    printReport(report);
    if (report.violations.length > 0) process.exitCode = 1;
    if (only !== '' || reuse) continue;
    const rounds = report.rounds.map(({ name: round, figures, violations }) => ({
      name: round,
      ...figures,
      violations,
    }));
    const target = { folder: 'cluster/results', prefix: `${name}-` };
    const figures = {
      versions: await readVersions(),
      rounds,
      violations: report.violations.length,
    };
    log(`written to ${await writeResult(target, figures)}`);
  }
};

const createParts = (reuse: boolean): Readonly<Record<string, Part>> => ({
  admission: {
    summary: 'the API server checks every overlay, component and pod',
    open: async () => ({ rounds: await listAdmissionRounds(), finish: checkEvents }),
  },
  dev: createOverlayPart(
    'dev',
    reuse,
    'one replica of each service, PostgreSQL and NATS',
    (target) => [
      { name: 'postgres is away for some time', run: () => removePostgres(target) },
      {
        name: 'under load: rolling restart of single replicas',
        run: () => runUnderTraffic(target, restartAll),
      },
    ],
  ),
  prod: createOverlayPart('prod', reuse, 'two replicas on two nodes, mutual TLS', (target) => [
    FREEZE_ROUND,
    { name: 'autoscalers: the minimum of replicas', run: checkMinimum },
    ...listDisturbances(target),
  ]),
  autoscaling: {
    summary: 'autoscalers of overlays/prod, which is installed unless it already is',
    open: async () => {
      const installed = await findInstallation();
      const target = installed?.overlay === 'prod' ? installed : await replaceInstallation('prod');
      const grow: Round = {
        name: 'under load: autoscalers grow',
        run: () => growUnderTraffic(target),
      };
      return { rounds: [grow], finish: checkEvents };
    },
  },
});

const replaceInstallation = async (overlay: OverlayName): Promise<Installation> => {
  await removeInstallation();
  return installOverlay(overlay);
};

const createOverlayPart = (
  overlay: OverlayName,
  reuse: boolean,
  summary: string,
  listRounds: (installation: Installation) => readonly Round[],
): Part => ({
  summary: `overlays/${overlay}: ${summary}`,
  open: async () => {
    const installed = await findInstallation();
    const isReused = reuse && installed?.overlay === overlay;
    if (!isReused) await removeInstallation();
    const startedAt = Date.now();
    const installation = isReused ? installed : await installOverlay(overlay);
    const start: Round = {
      name: `overlays/${overlay} comes up`,
      run: () => checkStart(isReused ? 0 : Date.now() - startedAt),
    };
    const rounds = [
      start,
      ...listServiceRounds(installation),
      { name: 'applying the same manifests again changes nothing', run: () => applyAgain(overlay) },
      ...POD_ROUNDS,
      ...listRounds(installation),
    ];
    return { rounds, finish: checkEvents };
  },
});

type Job = { metadata: { name: string }; status: { succeeded?: number; failed?: number } };

/** Every service is ready without a restart, and every Job has completed. */
const checkStart = async (installedMs: number): Promise<RoundOutcome> => {
  await awaitSettled();
  const pods = await listServicePods();
  const { items: jobs } = await getObjects<{ items: Job[] }>(['-n', 'witan', 'jobs']);
  const restarts = pods.reduce((sum, pod) => sum + restartsOf(pod), 0);
  const nodes = [...new Set(pods.map(({ spec }) => spec.nodeName))];
  const unfinished = jobs.filter(({ status }) => status.succeeded !== 1);
  return {
    figures: { installedMs, pods: pods.length, nodes: nodes.length, restarts, jobs: jobs.length },
    violations: [
      ...(restarts === 0 ? [] : [`${restarts} restarts`]),
      ...unfinished.map(({ metadata }) => `the Job ${metadata.name} has not completed`),
    ],
  };
};

/** Budgets and StatefulSets are always reported as configured (docs/kubernetes.md). */
const UNCHANGED = / unchanged$|^(?:poddisruptionbudget|statefulset)\S+ configured$/;

const applyAgain = async (overlay: OverlayName): Promise<RoundOutcome> => {
  const lines = (await applyText(await composeOverlay(overlay))).trim().split('\n');
  const changed = lines.filter((line) => !UNCHANGED.test(line));
  return { figures: { objects: lines.length }, violations: changed };
};

/** Reasons of events of a node that lacks memory, disk or process ids. */
const UNDER_PRESSURE = /^(?:SystemOOM|Evicted|Node(?:HasDiskPressure|HasInsufficient\w+))/;

/** No container of the project was killed for its memory, and no node is under pressure. */
const checkEvents = async (): Promise<RoundOutcome> => {
  const events = await kubectl([
    'get',
    'events',
    '-A',
    '-o',
    'custom-columns=R:.reason,M:.message',
  ]);
  const bad = events.split('\n').filter((line) => UNDER_PRESSURE.test(line));
  return { figures: {}, violations: bad };
};
