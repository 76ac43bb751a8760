import type { UpstreamCounts } from './open-provider.ts';

export type Sample = {
  /** Seconds since the load began. */
  second: number;
  rssMib: number;
  /** Used heap in MiB, including garbage that is not yet collected. */
  heapMib: number;
  heapTotalMib: number;
  /** Memory that JavaScript objects use outside the heap, such as buffers, in MiB. */
  externalMib: number;
  /** Number of open calls at the provider; `sockets` is the number of its open connections. */
  active: number;
  sockets: number;
};

export type MemorySampler = {
  samples: readonly Sample[];
  /** Takes a last sample and stops. Rejects if any sample failed. */
  stop: () => Promise<void>;
};

const SAMPLE_INTERVAL_MS = 5_000;
const MIB = 2 ** 20;

/**
 * Samples the memory metrics of the system's process and the counts of the provider every five
 * seconds.
 */
export const sampleMemory = (
  adminUrl: string,
  countUpstream: () => Promise<UpstreamCounts>,
): MemorySampler => {
  const samples: Sample[] = [];
  const startedAt = performance.now();
  const takeSample = async (): Promise<void> => {
    const second = (performance.now() - startedAt) / 1_000;
    const [text, { active, sockets }] = await Promise.all([readMetrics(adminUrl), countUpstream()]);
    samples.push({
      second,
      rssMib: parseMetric(text, 'process_resident_memory_bytes') / MIB,
      heapMib: parseMetric(text, 'nodejs_heap_size_used_bytes') / MIB,
      heapTotalMib: parseMetric(text, 'nodejs_heap_size_total_bytes') / MIB,
      externalMib: parseMetric(text, 'nodejs_external_memory_bytes') / MIB,
      active,
      sockets,
    });
  };
  let latest = takeSample();
  const timer = setInterval(() => {
    // `stop` rejects with the error of a failed sample; here the error must not become an unhandled
    // rejection.
    latest = latest.then(takeSample);
    latest.catch(() => {});
  }, SAMPLE_INTERVAL_MS);
  return {
    samples,
    stop: async () => {
      clearInterval(timer);
      await latest.then(takeSample);
    },
  };
};

const readMetrics = async (adminUrl: string): Promise<string> => {
  const response = await fetch(`${adminUrl}/metrics`);
  if (!response.ok) throw new Error(`The metrics answered ${response.status}.`);
  return response.text();
};

const parseMetric = (text: string, name: string): number => {
  const found = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text);
  if (!found) throw new Error(`The metrics do not have ${name}.`);
  return Number(found[1]);
};
