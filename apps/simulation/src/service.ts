import { CompletionService, MarketService } from '@witan/contracts/services';
import { createClient, implement, newId } from '@witan/service-kit';
import type { Host, Service } from '@witan/service-kit';
import { createOpenCall } from './clients/ask-model.ts';
import type { Config } from './config.ts';
import { createMarketAnalyses } from './domain/market/market-analyses.ts';
import { startPublishing } from './events/start-publishing.ts';
import { createMarketHandlers } from './handlers/market.ts';
import { openSimulations } from './open-simulations.ts';
import type { SimulationOverrides } from './open-simulations.ts';
import { openStorage } from './storage/open-storage.ts';

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
  const publishing = await startPublishing({ natsUrl, startRelay }, host);
  const completions = createClient(CompletionService, llmGateway);
  const openCall = createOpenCall(completions, config.completionTimeoutMs);
  const { markets } = storage;
  const analyses = createMarketAnalyses(markets);
  const simulations = openSimulations(config, host, { storage, openCall, clock }, overrides);
  return {
    implementations: [
      simulations.implementation,
      implement(
        MarketService,
        createMarketHandlers({ openCall, store: markets, analyses, newId, clock }),
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

const clock = (): Date => new Date();

const READY_TIMEOUT_MS = 1_000;
