import { openDatabase, startRelay } from '@witan/service-kit';
import type { Database, Log, Relay, RelayOptions } from '@witan/service-kit';
import type { MarketStore } from './market/market-analysis.ts';
import type { ReportStore, PanelStore, LeaseStore, TurnStore } from './simulation/turn-store.ts';
import type { PanelPurgeStore } from './simulation/purge-panels.ts';
import type { ScenarioStore, SimulationStore, StateStore } from './simulation/simulation.ts';
import { createPanelStore } from './turn/store/panel-store.ts';
import { createLeaseStore } from './simulation/store/lease-store.ts';
import { createMarketStore } from './market/store/market-store.ts';
import { MIGRATIONS } from './migrations/migrations.ts';
import { createPanelPurgeStore } from './simulation/store/panel-purge-store.ts';
import { createReportStore } from './report/store/report-store.ts';
import { createScenarioStore } from './simulation/store/scenario-store.ts';
import { createSimulationStore } from './simulation/store/simulation-store.ts';
import { createStateStore } from './simulation/store/state-store.ts';
import { createTurnStore } from './simulation/store/turn-store.ts';

export type Storage = AsyncDisposable & {
  markets: MarketStore;
  simulations: SimulationStore;
  scenarios: ScenarioStore;
  states: StateStore;
  leases: LeaseStore;
  councils: PanelStore;
  turns: TurnStore;
  reports: ReportStore;
  panelPurges: PanelPurgeStore;
  /**
   * Starts the relay that publishes events from the outbox. Stop it before the storage is disposed
   * of.
   */
  startRelay: (parts: Omit<RelayOptions, 'database'>) => Relay;
  check: Database['check'];
};

export const openStorage = async (databaseUrl: string, log: Log): Promise<Storage> => {
  const database = await openDatabase({
    url: databaseUrl,
    schema: 'simulation',
    entities: [],
    migrations: MIGRATIONS,
    log,
  });
  return {
    markets: createMarketStore(database),
    simulations: createSimulationStore(database),
    scenarios: createScenarioStore(database),
    states: createStateStore(database),
    leases: createLeaseStore(database),
    councils: createPanelStore(database),
    turns: createTurnStore(database),
    reports: createReportStore(database),
    panelPurges: createPanelPurgeStore(database),
    startRelay: (parts) => startRelay({ database, ...parts }),
    check: database.check,
    [Symbol.asyncDispose]: database[Symbol.asyncDispose],
  };
};
