import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { SystemFile } from '@witan/stack';
import { driveWorkers } from '../faults/drive-workers.ts';
import { countReservations, untilNoOpenReservation } from '../faults/evidence/read-ledger.ts';
import { findLeftovers } from '../faults/find-processes.ts';
import { openRunningSystem } from '../faults/open-running-system.ts';
import type { Random } from '@witan/testing/create-random';
import { until } from '../faults/until.ts';
import { judgeCalls } from './judge-calls.ts';
import { judgeMemory } from './judge-memory.ts';
import type { MemoryVerdict } from './judge-memory.ts';
import type { ReceivedCall, SoakProvider, UpstreamCounts } from './open-provider.ts';
import { readCertifiedCalls } from './read-certified-calls.ts';
import { sampleMemory } from './sample-memory.ts';
import type { Sample } from './sample-memory.ts';
import { scanLog } from './scan-log.ts';
import type { LogFindings } from './scan-log.ts';
import { sendCall } from './send-call.ts';
import type { SoakRecord } from './send-call.ts';
import { drawCall } from './soak-call.ts';

export type SoakOutcome = {
  minutes: number;
  records: readonly SoakRecord[];
  received: readonly ReceivedCall[];
  certificates: number;
  samples: readonly Sample[];
  memory: MemoryVerdict;
  /**
   * Numbers of calls and connections that were still open at the provider at the end, and the time
   * waited for them to close.
   */
  upstreamLeft: UpstreamCounts & { afterMs: number };
  log: LogFindings;
  violations: string[];
};

type Context = { home: string; provider: SoakProvider; random: Random; minutes: number };

/** Number of concurrent streams. */
export const IN_FLIGHT = 64;
const MINUTE_MS = 60_000;
/**
 * Time limit for connections to close; longer than the 4 s after which the gateway closes idle
 * connections to a provider.
 */
const UPSTREAM_LIMIT_MS = 15_000;
/**
 * Maximum wait for the certificates of aborted calls, which are written after their clients have
 * disconnected.
 */
const CERTIFIED_LIMIT_MS = 15_000;

/**
 * Runs load against one system for `minutes`, then checks memory growth, provider calls,
 * certificates, reservations, logs and remaining processes. Returns measurements and violations.
 */
export const runSoak = async (context: Context): Promise<SoakOutcome> => {
  const { home, provider, random, minutes } = context;
  await using resources = new AsyncDisposableStack();
  const system = await openRunningSystem(home, toEnv(provider), []);
  resources.defer(async () => void (await system.stop()));
  const file = await system.readFile();
  const stream = (id: number): Promise<SoakRecord> => sendCall(file, drawCall(id, random));
  const workers = Array.from({ length: IN_FLIGHT }, () => stream);
  const load = driveWorkers(workers, () => false);
  const sampler = sampleMemory(file.adminUrls['llm-gateway']!, provider.counts);
  await pause(minutes * MINUTE_MS);
  await sampler.stop();
  await load.stop();
  const upstreamLeft = await untilProviderIdle(provider);
  const isCertified = (await untilNoOpenReservation(home, CERTIFIED_LIMIT_MS)) !== undefined;
  const received = await provider.received();
  const certified = await readCertifiedCalls(file);
  const { settled } = await countReservations(home);
  const code = await system.stop();
  const log = await scanLog(join(home, 'output.log'));
  const memory = judgeMemory(sampler.samples, minutes);
  const records = load.endedCalls;
  return {
    minutes,
    records,
    received,
    certificates: certified.length,
    samples: sampler.samples,
    memory,
    upstreamLeft,
    log,
    violations: [
      ...memory.violations,
      ...findOpenAtProvider(upstreamLeft),
      ...judgeCalls({ records, received, certified }),
      ...(isCertified ? [] : ['reservations were never ended']),
      ...(settled === certified.length
        ? []
        : [`${settled} settled reservations, ${certified.length} certificates`]),
      ...log.errors.map((line) => `in the log: ${line}`),
      ...(await findShutdownViolations(code, home, file)),
    ],
  };
};

const toEnv = ({ url }: SoakProvider): Record<string, string> => ({
  OPENAI_BASE_URL: `${url}/v1`,
  OPENAI_API_KEY: 'sk-soak',
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_API_KEY: 'sk-ant-soak',
});

const untilProviderIdle = async (provider: SoakProvider): Promise<SoakOutcome['upstreamLeft']> => {
  const startedAt = performance.now();
  let counts = await provider.counts();
  await until(UPSTREAM_LIMIT_MS, async () => {
    counts = await provider.counts();
    return counts.active === 0 && counts.sockets === 0;
  });
  return { ...counts, afterMs: performance.now() - startedAt };
};

const findOpenAtProvider = ({ active, sockets }: UpstreamCounts): string[] => [
  ...(active === 0 ? [] : [`${active} calls still run at the provider`]),
  ...(sockets === 0 ? [] : [`${sockets} connections to the provider are still open`]),
];

const findShutdownViolations = async (
  code: number | null,
  home: string,
  { pids }: SystemFile,
): Promise<string[]> => {
  const remainingPids = await findLeftovers(home, pids);
  return [
    ...(code === 0 ? [] : [`the system exited with ${code ?? 'a kill'}`]),
    ...(remainingPids.length === 0 ? [] : [`${remainingPids.length} processes still run`]),
  ];
};
