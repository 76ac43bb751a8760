import * as agents from '@witan/agents';
import * as apiGateway from '@witan/api-gateway';
import * as ledger from '@witan/ledger';
import * as llmGateway from '@witan/llm-gateway';
import * as notifier from '@witan/notifier';
import * as simulation from '@witan/simulation';
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
    createService: CreateService<Config>;
  },
  traits: { hasDatabase: boolean; servesGrpc: boolean },
): CatalogueEntry => ({
  name,
  main: `apps/${name}/src/main.ts`,
  ...traits,
  load: (env, options) => {
    const config = app.loadConfig(env, options);
    return { process: config.process, config, create: app.createService as never };
  },
});

/** All services in start order: callees before callers. */
export const CATALOGUE: readonly CatalogueEntry[] = [
  entry('ledger', ledger, { hasDatabase: true, servesGrpc: true }),
  entry('llm-gateway', llmGateway, { hasDatabase: true, servesGrpc: true }),
  entry('notifier', notifier, { hasDatabase: true, servesGrpc: true }),
  entry('agents', agents, { hasDatabase: true, servesGrpc: true }),
  entry('simulation', simulation, { hasDatabase: true, servesGrpc: true }),
  entry('api-gateway', apiGateway, { hasDatabase: true, servesGrpc: false }),
];
