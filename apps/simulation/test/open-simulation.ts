import { callGraph } from '@witan/contracts/call-graph';
import type { AdvanceEvent, Advanced } from '@witan/contracts';
import { MarketService, SimulationService } from '@witan/contracts/services';
import {
  createClient,
  createInProcessTransport,
  createLocalEvents,
  createLog,
  newId,
  startService,
} from '@witan/service-kit';
import type { Client, Log } from '@witan/service-kit';
import { createTestDatabase } from '@witan/testing';
import { Client as Postgres } from 'pg';
import type { Config } from '../src/config.ts';
import { createService } from '../src/service.ts';
import type { SimulationOverrides } from '../src/service.ts';
import { scriptCouncil } from './script-council.ts';
import type { ScriptedCouncil } from './script-council.ts';
import { scriptWriter } from './script-writer.ts';
import type { ScriptedWriter } from './script-writer.ts';

export type Simulations = Client<typeof SimulationService>;

export type TestSimulation = AsyncDisposable & {
  simulations: Simulations;
  markets: Client<typeof MarketService>;
  adminUrl: string;
};

export type TestEnvironment = AsyncDisposable & {
  databaseUrl: string;
  council: ScriptedCouncil;
  writer: ScriptedWriter;
  start: (options?: StartOptions) => Promise<TestSimulation>;
  query: (sql: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;
};

export type StartOptions = SimulationOverrides & { config?: Partial<Config>; log?: Log };

const DRAIN_MS = 2_000;
const TIMEOUT_MS = 10_000;
const SILENT_LOG = createLog({ service: 'simulation', level: 'silent' });

export const openEnvironment = async (): Promise<TestEnvironment> => {
  const resources = new AsyncDisposableStack();
  const database = resources.use(await createTestDatabase(['simulation']));
  const databaseUrl = database.urls.simulation!;
  const council = scriptCouncil();
  const writer = scriptWriter();
  const postgres = new Postgres({ connectionString: databaseUrl });
  await postgres.connect();
  resources.defer(() => postgres.end());
  await postgres.query("SELECT set_config('witan.scope', '*', false)");
  return {
    databaseUrl,
    council,
    writer,
    start: (options) => startReplica({ databaseUrl, council, writer }, options),
    query: async (sql, values) => (await postgres.query<Record<string, unknown>>(sql, values)).rows,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};

export const startReplica = async (
  { databaseUrl, council, writer }: Pick<TestEnvironment, 'databaseUrl' | 'council' | 'writer'>,
  { config = {}, log = SILENT_LOG, ...overrides }: StartOptions = {},
): Promise<TestSimulation> => {
  const service = await startService({
    name: 'simulation',
    config: {
      databaseUrl,
      completionTimeoutMs: TIMEOUT_MS,
      panelTimeoutMs: TIMEOUT_MS,
      ...config,
    },
    create: (settings, host) => createService(settings, host, { pollEveryMs: 20, ...overrides }),
    callGraph,
    log,
    // Nothing consumes the events, so they stay in the outbox.
    events: createLocalEvents(),
    connect: (name) => (name === 'agents' ? council.transport : writer.transport),
    admin: { host: '127.0.0.1', port: 0 },
    drainMs: DRAIN_MS,
  });
  const transport = createInProcessTransport({
    caller: 'api-gateway',
    dispatcher: () => service.dispatcher,
  });
  return {
    simulations: createClient(SimulationService, transport),
    markets: createClient(MarketService, transport),
    adminUrl: service.adminUrl,
    [Symbol.asyncDispose]: service.stop,
  };
};

export const optionsFor = (workspaceId: string, signal?: AbortSignal) => ({
  workspaceId,
  timeoutMs: 20_000,
  ...(signal ? { signal } : {}),
});

export const COMPANY = {
  sector: 'saas',
  revenue: 2_400_000,
  employees: 24,
  burn: 60_000,
  cash: 1_500_000,
};

type Draft = {
  name?: string;
  turnUnit?: string;
  companyBase?: object;
  horizonTurns?: number;
  seed?: bigint;
};

export const createTestSimulation = async (
  { simulations }: TestSimulation,
  { companyBase = COMPANY, ...draft }: Draft = {},
) => {
  const workspaceId = newId('ws');
  const request = {
    name: 'Acme',
    turnUnit: 'quarter',
    seed: 7n,
    ...draft,
    companyBase: JSON.stringify(companyBase),
  };
  const { simulation } = await simulations.createSimulation(request, optionsFor(workspaceId));
  return { workspaceId, simulationId: simulation!.id, simulation: simulation! };
};

export type CreatedSimulation = Pick<
  Awaited<ReturnType<typeof createTestSimulation>>,
  'workspaceId' | 'simulationId'
>;

export const advanceWithEvents = async (
  { simulations }: TestSimulation,
  { workspaceId, simulationId }: CreatedSimulation,
  { expectedTurn, signal }: { expectedTurn?: number; signal?: AbortSignal } = {},
): Promise<AdvanceEvent['event'][]> => {
  const events: AdvanceEvent['event'][] = [];
  const request = {
    simulationId,
    requestSha256: 'a'.repeat(64),
    ...(expectedTurn === undefined ? {} : { expectedTurn }),
  };
  for await (const { event } of simulations.advance(request, optionsFor(workspaceId, signal))) {
    events.push(event);
  }
  return events;
};

export const advance = async (
  service: TestSimulation,
  created: CreatedSimulation,
  options?: { expectedTurn?: number; signal?: AbortSignal },
): Promise<Advanced> => {
  const last = (await advanceWithEvents(service, created, options)).at(-1);
  if (last?.case !== 'advanced') throw new Error('The advance did not end.');
  return last.value;
};

export const finalize = async (
  { simulations }: TestSimulation,
  { workspaceId, simulationId }: CreatedSimulation,
) => {
  const request = { simulationId, requestSha256: 'b'.repeat(64) };
  return (await simulations.finalize(request, optionsFor(workspaceId))).report!;
};
