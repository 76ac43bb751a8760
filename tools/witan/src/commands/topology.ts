import { parseArgs } from 'node:util';
import { topology } from '@witan/contracts/topology';
import { applyTopology } from '@witan/service-kit';
import type { Topology } from '@witan/service-kit';
import { readCliConfig } from '../config.ts';
import { readSystem } from '../read-system.ts';
import { UsageError } from '../usage.ts';

/**
 * An even number of replicas tolerates no more failures than the odd number below it, and NATS
 * allows at most 5.
 */
const REPLICAS = ['1', '3', '5'];

/**
 * Runs `witan topology apply [--replicas N] [--json]`, a job that runs once per release: creates
 * and updates the streams and consumers of `deploy/nats/topology.json`. Uses the broker of
 * NATS_URL, or of the system in WITAN_HOME.
 */
export const runTopology = async (argv: readonly string[]): Promise<number> => {
  const { replicas, isJson } = parse(argv);
  const changes = await applyTopology(await findNatsUrl(), withReplicas(topology, replicas));
  const lines = changes.map(({ kind, name, change }) => `${kind} ${name}: ${change}`);
  const text = isJson ? JSON.stringify({ changes }, undefined, 2) : lines.join('\n');
  process.stdout.write(`${text}\n`);
  return 0;
};

const parse = (argv: readonly string[]): { replicas: number | undefined; isJson: boolean } => {
  const options = { replicas: { type: 'string' }, json: { type: 'boolean' } } as const;
  try {
    const { positionals, values } = parseArgs({
      args: [...argv],
      options,
      allowPositionals: true,
    });
    const { replicas, json } = values;
    if (positionals.length !== 1 || positionals[0] !== 'apply') {
      throw new Error('witan topology takes apply.');
    }
    if (replicas !== undefined && !REPLICAS.includes(replicas)) {
      throw new Error(`--replicas takes one of ${REPLICAS.join(', ')}.`);
    }
    return { replicas: replicas ? Number(replicas) : undefined, isJson: json === true };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
};

const findNatsUrl = async (): Promise<string> => {
  const { home, natsUrl } = readCliConfig();
  if (natsUrl) return natsUrl;
  const system = await readSystem(home);
  if (!system) throw new Error(`No system runs in ${home}: start one, or set NATS_URL.`);
  if (!system.natsUrl) throw new Error(`The system in ${home} has no broker: set NATS_URL.`);
  return system.natsUrl;
};

const withReplicas = (plan: Topology, replicas: number | undefined): Topology => ({
  ...plan,
  streams: plan.streams.map((stream) => ({ ...stream, ...(replicas ? { replicas } : {}) })),
});
