import { randomBytes } from 'node:crypto';
import type { DescService } from '@bufbuild/protobuf';
import { callGraph } from '@witan/contracts/call-graph';
import { AgentService, MemoryService } from '@witan/contracts/services';
import {
  createClient,
  createInProcessTransport,
  createLocalEvents,
  createLog,
  startService,
} from '@witan/service-kit';
import type { Client, EventTransport, Log, Transport } from '@witan/service-kit';
import type { Config } from '../src/config.ts';
import { DEFAULT_RULES } from '../src/debate/decide-stop.ts';
import { LEASE_MS } from '../src/debate/runner/open-debate-runner.ts';
import { createService } from '../src/service.ts';
import type { Overrides } from '../src/service.ts';

export type TestAgents = AsyncDisposable & {
  agents: Client<typeof AgentService>;
  memories: Client<typeof MemoryService>;
  clientOf: <S extends DescService>(service: S) => Client<S>;
};

type AgentsOptions = Overrides & {
  /** Returns the transport to a service such as llm-gateway; by default no service is reachable. */
  connect?: (service: string) => Transport;
  config?: Partial<Config>;
  log?: Log;
  /** By default events stay in the outbox, because nothing consumes them. */
  events?: EventTransport;
};

export const SECRETS_KEY = randomBytes(32).toString('base64');

/** Target policy for development: tools may run on this machine and use plain http. */
const LOCAL_TARGETS: Config['targets'] = {
  environment: 'development',
  ports: [443],
  allowPrivate: [{ hostname: '127.0.0.1', port: undefined }],
};

const DRAIN_MS = 2_000;
const CONTEXT_TOKENS = 128_000;
const COMPLETION_TIMEOUT_MS = 10_000;
const TOOL_ROUNDS_MAX = 3;
const DEBATERS_MAX = 24;

/**
 * Opens the service on a database. Several services that are opened on one database are replicas.
 */
export const openAgents = async (
  databaseUrl: string,
  {
    connect = connectNowhere,
    config = {},
    log = SILENT_LOG,
    events = createLocalEvents(),
    ...overrides
  }: AgentsOptions = {},
): Promise<TestAgents> => {
  const service = await startService({
    name: 'agents',
    config: {
      databaseUrl,
      secretsKey: SECRETS_KEY,
      targets: LOCAL_TARGETS,
      contextTokens: CONTEXT_TOKENS,
      completionTimeoutMs: COMPLETION_TIMEOUT_MS,
      toolRoundsMax: TOOL_ROUNDS_MAX,
      debates: { ...DEFAULT_RULES, agentsMax: DEBATERS_MAX, leaseMs: LEASE_MS },
      ...config,
    },
    create: (settings, host) => createService(settings, host, overrides),
    callGraph,
    log,
    connect,
    events,
    admin: { host: '127.0.0.1', port: 0 },
    drainMs: DRAIN_MS,
  });
  const dispatcher = () => service.dispatcher;
  const clientOf = <S extends DescService>(one: S): Client<S> =>
    createClient(one, createInProcessTransport({ caller: callerOf(one), dispatcher }));
  return {
    agents: clientOf(AgentService),
    memories: clientOf(MemoryService),
    clientOf,
    [Symbol.asyncDispose]: service.stop,
  };
};

const callerOf = ({ name }: DescService): string =>
  Object.keys(callGraph).find((caller) => callGraph[caller]!['agents']?.[name]) ?? 'nobody';

export const optionsFor = (workspaceId: string) => ({ workspaceId, timeoutMs: 15_000 });

export const createAgent = async (
  { agents }: TestAgents,
  workspaceId: string,
  name = 'Ann',
): Promise<string> => {
  const newAgent = { name, systemPrompt: `You are ${name}.` };
  const { agent } = await agents.createAgent(newAgent, optionsFor(workspaceId));
  return agent!.id;
};

const SILENT_LOG = createLog({ service: 'agents', level: 'silent' });

const connectNowhere = (): Transport =>
  createInProcessTransport({ caller: 'agents', dispatcher: () => undefined });
