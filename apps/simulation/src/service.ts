import {
  CompletionService,
  MarketService,
  PanelService,
  SimulationService,
} from '@witan/contracts/services';
import type { Complete } from '@witan/contracts';
import {
  createChannel,
  createClient,
  implement,
  newId,
  openDatabase,
  repeatEvery,
  startRelay,
} from '@witan/service-kit';
import type { Database, Host, Service, Transport } from '@witan/service-kit';
import { connectCompletion, createOpenCall } from '@witan/dialects';
import type { OpenCall } from '@witan/dialects';
import type { Config } from './config.ts';
import { createMarketHandlers } from './market/rpc/market.ts';
import { createMarketStore } from './market/store/market-store.ts';
import { createMetrics } from './metrics.ts';
import type { Metrics } from './metrics.ts';
import { MIGRATIONS } from './migrations/migrations.ts';
import { openForecastThread } from './simulation/clients/forecast-thread.ts';
import { createLeaseSimulation } from './simulation/lease-simulation.ts';
import { createSimulationHandlers } from './simulation/rpc/simulations.ts';
import type { PanelKey } from './simulation/simulation.ts';
import { createPurgePanels, createSimulations } from './simulation/simulations.ts';
import { createPanelPurgeStore, createPanelStore } from './simulation/store/panel-store.ts';
import { createScenarioStore } from './simulation/store/scenario-store.ts';
import { createSimulationStore } from './simulation/store/simulation-store.ts';
import { createStateStore } from './simulation/store/state-store.ts';
import {
  createLeaseStore,
  createReportStore,
  createTurnStore,
} from './simulation/store/turn-store.ts';
import { createAskPanel, createDeletePanels } from './turn/clients/hold-panel.ts';
import { createTurnHandlers } from './turn/rpc/turns.ts';

const clock = (): Date => new Date();
const now = (): number => performance.now();

export type SimulationOverrides = {
  leaseMs?: number;
  pollEveryMs?: number;
  waitMs?: number;
  purgeEveryMs?: number;
};

const READY_TIMEOUT_MS = 1_000;

export const createService = async (
  config: Config,
  host: Host,
  overrides: SimulationOverrides = {},
): Promise<Service> => {
  const llmGateway = host.connect('llm-gateway');
  const database = await openDatabase({
    url: config.databaseUrl,
    schema: 'simulation',
    entities: [],
    migrations: MIGRATIONS,
    log: host.log,
  });
  const { events, log, registry } = host;
  const relay = startRelay({ database, events, source: 'simulation', log, registry });
  const openCall = createOpenCall({
    complete: connectModels(llmGateway),
    createQueue: createChannel,
    timeoutMs: config.completionTimeoutMs,
  });
  const metrics = createMetrics(host.registry);
  const simulations = openSimulations(config, host, { database, openCall, metrics }, overrides);
  const store = createMarketStore(database);
  const observers = { observer: metrics, now };
  return {
    implementations: [
      simulations.implementation,
      implement(
        MarketService,
        createMarketHandlers({ openCall, store, newId, clock, ...observers }),
      ),
    ],
    checks: {
      database: database.check,
      'llm-gateway': () => llmGateway.ready(READY_TIMEOUT_MS),
    },
    stop: async () => {
      await simulations.stop();
      await relay.stop();
      await database[Symbol.asyncDispose]();
    },
  };
};

const connectModels = (llmGateway: Transport): Complete => {
  const completions = createClient(CompletionService, llmGateway);
  return connectCompletion({
    direct: (kind) => llmGateway.direct?.(CompletionService.method[kind]),
    completeAs: completions.completeAs,
    createQueue: createChannel,
  });
};

type Parts = { database: Database; openCall: OpenCall; metrics: Metrics };

const PURGE_EVERY_MS = 30_000;

const openSimulations = (
  { panelTimeoutMs }: Pick<Config, 'panelTimeoutMs'>,
  { connect, log }: Pick<Host, 'connect' | 'log'>,
  { database, openCall, metrics }: Parts,
  { purgeEveryMs = PURGE_EVERY_MS, ...timing }: SimulationOverrides,
) => {
  const panels = createClient(PanelService, connect('agents'));
  const panelPurges = createPanelPurgeStore(database);
  const purge = createPurgePanels({ store: panelPurges, deletePanels: createDeletePanels(panels) });
  const logs = createSimulationLogs(log);
  const purging = repeatEvery(purgeEveryMs, purge, logs.onPurgeFailed);
  const forecaster = openForecastThread();
  const reports = createReportStore(database);
  const dependencies = {
    newId,
    clock,
    simulations: createSimulationStore(database),
    scenarios: createScenarioStore(database),
    states: createStateStore(database),
  };
  const turns = createTurnHandlers({
    ...dependencies,
    lease: createLeaseSimulation({
      ...timing,
      store: createLeaseStore(database),
      now,
      onFailure: logs.onLeaseFailed,
    }),
    turns: createTurnStore(database),
    councils: createPanelStore(database),
    reports,
    openCall,
    runForecast: forecaster.run,
    askPanel: createAskPanel(panels, panelTimeoutMs),
    onRejected: (reason, simulationId) => {
      metrics.onRejected(reason);
      logs.onProseRejected(reason, simulationId);
    },
    onReport: metrics.onReport,
    onFallback: logs.onFallback,
    onDeleted: panelPurges.add,
    observer: metrics,
    now,
  });
  const simulations = createSimulations({
    ...dependencies,
    purge: () => purge().catch(logs.onPurgeFailed),
  });
  return {
    implementation: implement(SimulationService, {
      ...createSimulationHandlers(simulations, reports),
      ...turns,
    }),
    stop: async () => {
      await purging.stop();
      await forecaster.close();
    },
  };
};

const createSimulationLogs = (log: Host['log']) => ({
  onPurgeFailed: (err: unknown): void =>
    log.warn(
      { event: 'panel_purge_failed', err },
      'Deleting the panel debates of deleted simulations failed, will retry',
    ),
  onLeaseFailed: (err: unknown, simulationId: string): void =>
    log.warn(
      { event: 'simulation_lease_write_failed', err, simulationId },
      'Renewing or releasing the lease of a simulation failed',
    ),
  /** `reason` must not contain output of the model, because model output is never logged. */
  onProseRejected: (reason: string, simulationId: string): void =>
    log.warn(
      { event: 'report_prose_failed', reason, simulationId },
      'A model call produced no valid text for a report',
    ),
  onFallback: (reason: string, { scenarioId, turn }: PanelKey): void =>
    log.warn(
      { event: 'panel_undecided', reason, scenarioId, turn },
      'The panel reached no decision, the default levers apply',
    ),
});
