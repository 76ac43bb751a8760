import type { SystemFile } from '@witan/stack';
import { openReceiver, openScriptedProvider } from '@witan/testing';
import type { ReceivedRequest, Receiver } from '@witan/testing';
import { openClient } from './client.ts';
import type { Client } from './client.ts';
import {
  createEventEnvironment,
  createMeteredEnvironment,
  createProviderEnvironment,
} from './config.ts';
import { judgeCertificates } from './evidence/find-certificate-violations.ts';
import type { FaultSystem } from './open-running-system.ts';
import type { Lab, RoundOutcome } from './run-part.ts';
import { AGENT_NAMES, createScriptedModel, toPersona } from './scripted-model.ts';
import type { ModelScript, ScriptedModel } from './scripted-model.ts';
import { untilReceived } from './until.ts';

/** A metered system with three agents, in which one debate or turn is run again and again. */
export type ReplayBench = {
  home: string;
  system: FaultSystem & SystemFile;
  model: ScriptedModel;
  agentIds: ReadonlyMap<string, string>;
  /** Returns a client of the api-gateway at its current URL. */
  openClient: () => Promise<Client>;
  receiver: Receiver;
};

/**
 * Duration of a debate's lease; long enough to be renewed on a busy machine, because each lost
 * lease uses up one of four attempts.
 */
export const LEASE_MS = 3_000;
const COMPLETION_TIMEOUT_MS = 20_000;
/** Client timeout; a call may have to wait until leases of dead processes expire. */
const CLIENT_TIMEOUT_MS = 240_000;
const WEBHOOK_PATH = '/events';

export const openReplayBench = async (
  { home, resources, openSystem }: Lab,
  { script, events }: { script: ModelScript; events: readonly string[] },
): Promise<ReplayBench> => {
  const model = createScriptedModel(script);
  const provider = resources.use(
    await openScriptedProvider({ models: ['gpt-5'], fallback: model.script }),
  );
  const receiver = resources.use(await openReceiver());
  const system = await openSystem({
    ...createEventEnvironment(),
    ...createProviderEnvironment(provider.baseUrl),
    ...createMeteredEnvironment(COMPLETION_TIMEOUT_MS),
    WITAN_DEBATE_LEASE_MS: String(LEASE_MS),
  });
  const client = openClient(system);
  await client.read('POST', '/webhooks', { url: receiver.urlOf(WEBHOOK_PATH), events });
  return {
    home,
    system,
    model,
    agentIds: await replaceAgents(client),
    openClient: async () => openClient(await system.readFile(), CLIENT_TIMEOUT_MS),
    receiver,
  };
};

type Agent = { id: string; name: string };

/** Replaces the workspace's agents by the scripted ones; returns their ids by name. */
const replaceAgents = async (client: Client): Promise<Map<string, string>> => {
  const { agents } = await client.read<{ agents: Agent[] }>('GET', '/agents');
  for (const { id } of agents) await client.read('DELETE', `/agents/${id}`);
  const idsByName = new Map<string, string>();
  for (const name of AGENT_NAMES) {
    const { agent } = await client.read<{ agent: Agent }>('POST', '/agents', toPersona(name));
    idsByName.set(name, agent.id);
  }
  return idsByName;
};

/** Events of the system, by the id that `idOf` reads from their data. */
export type DeliveredEvents<Data> = ReadonlyMap<string, readonly { event: string; data: Data }[]>;

/**
 * Waits until `count` webhooks were received or 30 s have passed; returns all that were received,
 * by the id of their subject.
 */
export const readDelivered = async <Data>(
  { receiver }: ReplayBench,
  { count, idOf }: { count: number; idOf: (data: Data) => string },
): Promise<DeliveredEvents<Data>> => {
  const parse = ({ body }: ReceivedRequest) =>
    JSON.parse(body.toString()) as { event: string; data: Data };
  const all = (await untilReceived(receiver, WEBHOOK_PATH, count)).map(parse);
  return Map.groupBy(all, ({ data }) => idOf(data));
};

/** Checks the certificates and the ledger of all runs, once their webhooks were received. */
export const judgeRuns = async (
  { home, system, model, receiver }: ReplayBench,
  proofIds: readonly string[],
): Promise<RoundOutcome> => {
  const { violations, ...totals } = await judgeCertificates(
    { home, completionTimeoutMs: COMPLETION_TIMEOUT_MS },
    system.readFile,
    { calls: model.calls, proofIds },
  );
  const webhooks = receiver.requestsOf(WEBHOOK_PATH).length;
  return { figures: { certificates: { ...totals, webhooks } }, violations };
};
