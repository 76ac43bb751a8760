import {
  CompletionService,
  MarketService,
  PanelService,
  SimulationService,
} from '@witan/contracts/services';
import { createClient, implement, newId, repeatEvery, startPublishing } from '@witan/service-kit';
import type { Host, Service } from '@witan/service-kit';
import { createOpenCall } from './clients/ask-model.ts';
import { openForecastThread } from './clients/forecast-thread.ts';
import { createAskPanel, createDeletePanels } from './clients/hold-panel.ts';
import type { Config } from './config.ts';
import { createMarketAnalyses } from './domain/market/market-analyses.ts';
import type { OpenCall } from './domain/model/model-call.ts';
import { createPurgePanels } from './domain/simulation/purge-panels.ts';
import { createSimulations } from './domain/simulation/simulations.ts';
import { createFinalizeHeld } from './domain/turn/finalize.ts';
import { createHoldSimulation } from './domain/turn/hold-simulation.ts';
import { createScenarios } from './domain/turn/scenarios.ts';
import { createMarketHandlers } from './handlers/market.ts';
import { createSimulationHandlers } from './handlers/simulations.ts';
import { createTurnHandlers } from './handlers/turns.ts';
import { createMetrics } from './metrics.ts';
import type { Metrics } from './metrics.ts';
import { openStorage } from './storage/open-storage.ts';
import type { Storage } from './storage/open-storage.ts';

const clock = (): Date => new Date();
const now = (): number => performance.now();

/** What tests make shorter. */
export type SimulationOverrides = {
  /** How long a simulation stays with a process that was killed. */
  leaseMs?: number;
  lookEveryMs?: number;
  /** Longest wait for a simulation that is being advanced. */
  waitMs?: number;
  purgeEveryMs?: number;
};

/** Composes the simulation service: companies that are played forward, and market analyses. */
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
  const watching = { watch: metrics, now };
  return {
    implementations: [
      simulations.implementation,
      implement(
        MarketService,
        createMarketHandlers({ openCall, store: markets, analyses, newId, clock, ...watching }),
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

/** Companies that are played forward. */
const openSimulations = (
  { panelTimeoutMs }: Pick<Config, 'panelTimeoutMs'>,
  { connect, log }: Pick<Host, 'connect' | 'log'>,
  { storage, openCall, metrics }: Parts,
  { purgeEveryMs = PURGE_EVERY_MS, ...timing }: SimulationOverrides,
) => {
  const panels = createClient(PanelService, connect('agents'));
  const { simulations, scenarios, states, reports, panelPurges } = storage;
  const purge = createPurgePanels({ store: panelPurges, deletePanels: createDeletePanels(panels) });
  const onPurgeFailed = (err: unknown): void =>
    log.warn({ err }, 'panels of deleted simulations are left; will try again');
  const purging = repeatEvery(purgeEveryMs, purge, onPurgeFailed);
  const forecaster = openForecastThread();
  const made = { newId, clock };
  const hold = createHoldSimulation({
    ...timing,
    store: storage.leases,
    now,
    onFailure: (err, simulationId) =>
      log.warn({ err, simulationId }, 'the lease of a simulation could not be written'),
  });
  const finalizing = {
    ...made,
    hold,
    simulations,
    scenarios,
    states,
    reports,
    openCall,
    runForecast: forecaster.run,
    // Of what a model wrote no word is written down.
    onRejected: (why: string, simulationId: string) => {
      metrics.onRejected(why);
      log.warn({ why, simulationId }, 'the prose of a report was not taken');
    },
    onReport: metrics.onReport,
  };
  const turns = createTurnHandlers({
    ...finalizing,
    branches: createScenarios({ ...made, hold, simulations, scenarios, states }),
    turns: storage.turns,
    councils: storage.councils,
    askPanel: createAskPanel(panels, panelTimeoutMs),
    finalizeHeld: createFinalizeHeld(finalizing),
    onFallback: (_, { scenarioId, turn }) =>
      log.warn({ scenarioId, turn }, 'decision.fallback: a company holds its course'),
    onGone: panelPurges.note,
    watch: metrics,
    now,
  });
  const kept = createSimulations({
    ...made,
    simulations,
    scenarios,
    states,
    purge: () => purge().catch(onPurgeFailed),
  });
  return {
    implementation: implement(SimulationService, {
      ...createSimulationHandlers(kept, reports),
      ...turns,
    }),
    stop: async () => {
      await purging.stop();
      await forecaster.close();
    },
  };
};
