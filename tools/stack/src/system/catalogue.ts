import * as agents from '@witan/agents';
import * as apiGateway from '@witan/api-gateway';
import * as ledger from '@witan/ledger';
import * as llmGateway from '@witan/llm-gateway';
import * as notifier from '@witan/notifier';
import * as simulation from '@witan/simulation';
import type { CreateService, Env, ProcessConfig } from '@witan/service-kit';

/** A service as the stack knows it. */
export type CatalogueEntry = {
  name: string;
  /** Its start file, from the root of the repository. */
  main: string;
  hasDatabase: boolean;
  servesGrpc: boolean;
  load: (env: Env) => Loaded;
};

/** A service with its configuration read, ready to be started. */
export type Loaded = { process: ProcessConfig; config: unknown; create: CreateService<unknown> };

const entry = <Config extends { process: ProcessConfig }>(
  name: string,
  app: { loadConfig: (env: Env) => Config; createService: CreateService<Config> },
  traits: { hasDatabase: boolean; servesGrpc: boolean },
): CatalogueEntry => ({
  name,
  main: `apps/${name}/src/main.ts`,
  ...traits,
  load: (env) => {
    const config = app.loadConfig(env);
    return { process: config.process, config, create: app.createService as never };
  },
});

/** Every service, called ones before their callers: the order to start in. */
export const CATALOGUE: readonly CatalogueEntry[] = [
  entry('ledger', ledger, { hasDatabase: true, servesGrpc: true }),
  entry('llm-gateway', llmGateway, { hasDatabase: true, servesGrpc: true }),
  entry('notifier', notifier, { hasDatabase: true, servesGrpc: true }),
  entry('agents', agents, { hasDatabase: true, servesGrpc: true }),
  entry('simulation', simulation, { hasDatabase: true, servesGrpc: true }),
  entry('api-gateway', apiGateway, { hasDatabase: true, servesGrpc: false }),
];
