import {
  CompletionService,
  MarketService,
  PanelService,
  SimulationService,
} from '@witan/contracts/services';
import { createClient, implement, newId, repeatEvery, startPublishing } from '@witan/service-kit';
import type { Host, Service } from '@witan/service-kit';
import type { OpenCall } from '@witan/dialects';
import { createOpenCall } from './model/clients/ask-model.ts';
import { openForecastThread } from './simulation/clients/forecast-thread.ts';
import { createAskPanel, createDeletePanels } from './turn/clients/hold-panel.ts';
import type { Config } from './config.ts';
import { createMarketAnalyses } from './market/market-analyses.ts';
import { createPurgePanels } from './simulation/purge-panels.ts';
import { createSimulations } from './simulation/simulations.ts';
import { createFinalizeLeased } from './turn/finalize.ts';
import { createLeaseSimulation } from './simulation/lease-simulation.ts';
import type { PanelKey } from './simulation/turn-store.ts';
import { createScenarios } from './turn/scenarios.ts';
import { createMarketHandlers } from './market/rpc/market.ts';
import { createSimulationHandlers } from './simulation/rpc/simulations.ts';
import { createTurnHandlers } from './turn/rpc/turns.ts';
import { createMetrics } from './metrics.ts';
import type { Metrics } from './metrics.ts';
import { openStorage } from './open-storage.ts';
import type { Storage } from './open-storage.ts';

const clock = (): Date => new Date();
const now = (): number => performance.now();

export type SimulationOverrides = {
  leaseMs?: number;
  pollEveryMs?: number;
  waitMs?: number;
  purgeEveryMs?: number;
};

export const createService = async (
  config: Config,
  host: Host,
  overrides: SimulationOverrides = {},
): Promise<Service> => {
  const llmGateway = host.connect('llm-gateway');
  const storage = await openStorage(config.databaseUrl, host.log);
  const { natsUrl } = config;
  const { startRelay } = storage;
  const publishing = await startPublishing({ natsUrl, source: 'simulation', startRelay }, host);
  const completions = createClient(CompletionService, llmGateway);
  const openCall = createOpenCall(completions, config.completionTimeoutMs);
  const { markets } = storage;
  const analyses = createMarketAnalyses(markets);
  const metrics = createMetrics(host.registry);
  const simulations = openSimulations(config, host, { storage, openCall, metrics }, overrides);
  const observers = { observer: metrics, now };
  return {
    implementations: [
      simulations.implementation,
      implement(
        MarketService,
        createMarketHandlers({ openCall, store: markets, analyses, newId, clock, ...observers }),
      ),
    ],
    checks: {
      database: storage.check,
      'llm-gateway': () => llmGateway.ready(READY_TIMEOUT_MS),
    },
    stop: async () => {
      await simulations.stop();
      await publishing.stop();
      await storage[Symbol.asyncDispose]();
    },
  };
};

const READY_TIMEOUT_MS = 1_000;

type Parts = { storage: Storage; openCall: OpenCall; metrics: Metrics };

const PURGE_EVERY_MS = 30_000;

const openSimulations = (
  { panelTimeoutMs }: Pick<Config, 'panelTimeoutMs'>,
  { connect, log }: Pick<Host, 'connect' | 'log'>,
  { storage, openCall, metrics }: Parts,
  { purgeEveryMs = PURGE_EVERY_MS, ...timing }: SimulationOverrides,
) => {
  const panels = createClient(PanelService, connect('agents'));
  const { simulations, scenarios, states, reports, panelPurges } = storage;
  const purge = createPurgePanels({ store: panelPurges, deletePanels: createDeletePanels(panels) });
  const logs = createSimulationLogs(log);
  const purging = repeatEvery(purgeEveryMs, purge, logs.onPurgeFailed);
  const forecaster = openForecastThread();
  const dependencies = { newId, clock };
  const lease = createLeaseSimulation({
    ...timing,
    store: storage.leases,
    now,
    onFailure: logs.onLeaseFailed,
  });
  const finalizing = {
    ...dependencies,
    lease,
    simulations,
    scenarios,
    states,
    reports,
    openCall,
    runForecast: forecaster.run,
    onRejected: (reason: string, simulationId: string) => {
      metrics.onRejected(reason);
      logs.onProseRejected(reason, simulationId);
    },
    onReport: metrics.onReport,
  };
  const turns = createTurnHandlers({
    ...finalizing,
    branches: createScenarios({ ...dependencies, lease, simulations, scenarios, states }),
    turns: storage.turns,
    councils: storage.councils,
    askPanel: createAskPanel(panels, panelTimeoutMs),
    finalizeLeased: createFinalizeLeased(finalizing),
    onFallback: logs.onFallback,
    onDeleted: panelPurges.add,
    observer: metrics,
    now,
  });
  const simulationService = createSimulations({
    ...dependencies,
    simulations,
    scenarios,
    states,
    purge: () => purge().catch(logs.onPurgeFailed),
  });
  return {
    implementation: implement(SimulationService, {
      ...createSimulationHandlers(simulationService, reports),
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
