import { loadConfig as agents } from '@witan/agents/config';
import { loadConfig as apiGateway } from '@witan/api-gateway/config';
import { loadConfig as ledger } from '@witan/ledger/config';
import { loadConfig as llmGateway } from '@witan/llm-gateway/config';
import { loadConfig as notifier } from '@witan/notifier/config';
import { loadConfig as simulation } from '@witan/simulation/config';
import type { CreateService, Env, LoadOptions, ProcessConfig } from '@witan/service-kit';

export type CatalogueEntry = {
  name: string;
  main: string;
  hasDatabase: boolean;
  servesGrpc: boolean;
  load: (env: Env, options?: LoadOptions) => LoadedService;
};

export type LoadedService = {
  process: ProcessConfig;
  config: unknown;
  create: CreateService<unknown>;
};

const entry = <Config extends { process: ProcessConfig }>(
  name: string,
  app: {
    loadConfig: (env: Env, options?: LoadOptions) => Config;
    /** Loads the code of the service, which a supervisor of processes does not need. */
    loadService: () => Promise<{ createService: CreateService<Config> }>;
  },
  traits: { hasDatabase: boolean; servesGrpc: boolean },
): CatalogueEntry => ({
  name,
  main: `apps/${name}/src/main.ts`,
  ...traits,
  load: (env, options) => {
    const config = app.loadConfig(env, options);
    const create: CreateService<Config> = async (...args) =>
      (await app.loadService()).createService(...args);
    return { process: config.process, config, create: create as never };
  },
});

/** All services in start order: callees before callers. */
export const CATALOGUE: readonly CatalogueEntry[] = [
  entry(
    'ledger',
    { loadConfig: ledger, loadService: () => import('@witan/ledger') },
    { hasDatabase: true, servesGrpc: true },
  ),
  entry(
    'llm-gateway',
    { loadConfig: llmGateway, loadService: () => import('@witan/llm-gateway') },
    { hasDatabase: true, servesGrpc: true },
  ),
  entry(
    'notifier',
    { loadConfig: notifier, loadService: () => import('@witan/notifier') },
    { hasDatabase: true, servesGrpc: true },
  ),
  entry(
    'agents',
    { loadConfig: agents, loadService: () => import('@witan/agents') },
    { hasDatabase: true, servesGrpc: true },
  ),
  entry(
    'simulation',
    { loadConfig: simulation, loadService: () => import('@witan/simulation') },
    { hasDatabase: true, servesGrpc: true },
  ),
  entry(
    'api-gateway',
    { loadConfig: apiGateway, loadService: () => import('@witan/api-gateway') },
    { hasDatabase: true, servesGrpc: false },
  ),
];
