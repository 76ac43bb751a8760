import * as agents from '@witan/agents';
import * as apiGateway from '@witan/api-gateway';
import * as ledger from '@witan/ledger';
import * as llmGateway from '@witan/llm-gateway';
import * as notifier from '@witan/notifier';
import * as simulation from '@witan/simulation';
import type { Readers } from './rules/check-environment.ts';

/**
 * The configuration loaders that the services themselves use, because a separate list of variables
 * could become outdated.
 */
export const READERS: Readers = {
  ledger: ledger.loadConfig,
  'llm-gateway': llmGateway.loadConfig,
  notifier: notifier.loadConfig,
  agents: agents.loadConfig,
  simulation: simulation.loadConfig,
  'api-gateway': apiGateway.loadConfig,
};
