import { isServiceError } from '@witan/contracts';
import { readModelAddress } from '@witan/dialects';
import { readEnv, readProcessConfig, readSecretsKey, readTargetPolicy } from '@witan/service-kit';
import { DEFAULT_RULES, ROUNDS_MAX } from './debate/decide-stop.ts';
import type { DebateRules } from './debate/decide-stop.ts';
import { LEASE_MS } from './debate/runner/open-debate-runner.ts';
import type { Env, EnvReader, LoadOptions, ProcessConfig, TargetPolicy } from '@witan/service-kit';

export type Config = {
  databaseUrl: string;
  /**
   * Base64 of 32-byte keys, separated by commas, for the secrets of tools. The first key encrypts;
   * every key can decrypt.
   */
  secretsKey: string;
  targets: TargetPolicy;
  /** Context window, in tokens, assumed for every model; the prompt and the answer share it. */
  contextTokens: number;
  completionTimeoutMs: number;
  /** Time limit of calls to the local runtime; undefined to derive it from its measured speed. */
  localTimeoutMs?: number | undefined;
  /**
   * Maximum number of rounds of tool calls in a chat turn; the model call after the last one offers
   * no tools.
   */
  toolRoundsMax: number;
  /**
   * Model address of the embedding model of documents and searches; undefined if searches are by
   * terms alone.
   */
  embeddingModel?: string | undefined;
  debates: DebateRules & {
    agentsMax: number;
    leaseMs: number;
  };
};

/** Default of `contextTokens`. The local runtime reports its own; a hosted model may need less. */
const CONTEXT_TOKENS = 128_000;
const CONTEXT_TOKENS_MIN = 4_096;
const CONTEXT_TOKENS_MAX = 10_000_000;
const TOOL_ROUNDS = 3;
const TOOL_ROUNDS_MAX = 20;
const TIMEOUT_MS = 600_000;
const TIMEOUT_MAX_MS = 3_600_000;

export const loadConfig = (
  env: Env = process.env,
  { requiresBroker }: LoadOptions = {},
): Config & { process: ProcessConfig } =>
  readEnv('agents', env, (read) => {
    const settings = readProcessConfig(read, ['llm-gateway'], { hasEvents: true, requiresBroker });
    return {
      databaseUrl: read.text('DATABASE_URL'),
      secretsKey: readSecretsKey(read),
      targets: readTargetPolicy(read, settings.environment),
      contextTokens: read.integer('WITAN_CONTEXT_TOKENS', {
        min: CONTEXT_TOKENS_MIN,
        max: CONTEXT_TOKENS_MAX,
        fallback: CONTEXT_TOKENS,
      }),
      completionTimeoutMs: read.integer('WITAN_COMPLETION_TIMEOUT_MS', {
        min: 1,
        max: TIMEOUT_MAX_MS,
        fallback: TIMEOUT_MS,
      }),
      localTimeoutMs: readLocalTimeout(read),
      toolRoundsMax: read.integer('MAX_TOOL_ROUNDS', {
        min: 1,
        max: TOOL_ROUNDS_MAX,
        fallback: TOOL_ROUNDS,
      }),
      embeddingModel: readEmbeddingModel(read),
      debates: readDebates(read),
      process: settings,
    };
  });

const LOCAL_TIMEOUT = 'WITAN_LOCAL_TIMEOUT_MS';

const readLocalTimeout = (read: EnvReader): number | undefined =>
  read.optional(LOCAL_TIMEOUT) === undefined
    ? undefined
    : read.integer(LOCAL_TIMEOUT, { min: 1_000, max: TIMEOUT_MAX_MS, fallback: TIMEOUT_MS });

const EMBEDDING_MODEL = 'WITAN_KNOWLEDGE_EMBEDDING_MODEL';

const readEmbeddingModel = (read: EnvReader): string | undefined => {
  const model = read.optional(EMBEDDING_MODEL);
  if (model === undefined) return undefined;
  try {
    const { kind, knowledge } = readModelAddress(model);
    if (kind !== 'agent' && kind !== 'debate' && !knowledge) return model;
    read.addError(`${EMBEDDING_MODEL} must be a model or a service-... address, not ${model}`);
  } catch (error) {
    if (!isServiceError(error)) throw error;
    read.addError(`${EMBEDDING_MODEL}: ${error.message}`);
  }
  return undefined;
};

const DEBATE_AGENTS = 24;
const DEBATE_AGENTS_MAX = 100;
const TOKENS_MAX = 100_000_000;
const LEASE_MIN_MS = 1_000;
const LEASE_MAX_MS = 600_000;

const readDebates = (read: EnvReader): Config['debates'] => {
  const { threshold, maxRounds, agentTimeoutMs, deadlineMs, tokenBudget } = DEFAULT_RULES;
  const integer = (name: string, fallback: number, max: number, min = 1): number =>
    read.integer(name, { min, max, fallback });
  return {
    threshold,
    maxRounds: integer('WITAN_DEBATE_ROUNDS', maxRounds, ROUNDS_MAX),
    agentTimeoutMs: integer('WITAN_DEBATE_AGENT_TIMEOUT_MS', agentTimeoutMs, TIMEOUT_MAX_MS),
    deadlineMs: integer('WITAN_DEBATE_DEADLINE_MS', deadlineMs, TIMEOUT_MAX_MS),
    tokenBudget: integer('WITAN_DEBATE_TOKENS', tokenBudget, TOKENS_MAX),
    agentsMax: integer('WITAN_DEBATE_AGENTS', DEBATE_AGENTS, DEBATE_AGENTS_MAX),
    leaseMs: integer('WITAN_DEBATE_LEASE_MS', LEASE_MS, LEASE_MAX_MS, LEASE_MIN_MS),
  };
};
