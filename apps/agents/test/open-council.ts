import { createTestDatabase } from '@witan/testing';
import { createAgent, openAgents } from './open-agents.ts';
import type { TestAgents } from './open-agents.ts';
import { playGateway } from './play-gateway.ts';
import type { GatewayCall, PlayedGateway } from './play-gateway.ts';

/** Two replicas of the service on one database, with models that a test plays. */
export type TestCouncil = AsyncDisposable & {
  gateway: PlayedGateway;
  replicas: readonly [TestAgents, TestAgents];
  /** A further replica, which the caller closes. */
  openReplica: () => Promise<TestAgents>;
  /** A workspace with agents of these names, and no calls so far; answers its id. */
  gather: (names: readonly string[]) => Promise<string>;
};

const LEASE_MS = 2_000;
const LOOK_EVERY_MS = 200;

/** `play` answers each call of a model. */
export const openCouncil = async (
  play: (call: GatewayCall) => Promise<object>,
): Promise<TestCouncil> => {
  const database = await createTestDatabase(['agents']);
  const gateway = await playGateway(play);
  const openReplica = () =>
    openAgents(database.urls['agents']!, {
      connect: gateway.connect,
      debateLeaseMs: LEASE_MS,
      debatePollIntervalMs: LOOK_EVERY_MS,
    });
  const replicas = [await openReplica(), await openReplica()] as const;
  let workspaces = 0;
  return {
    gateway,
    replicas,
    openReplica,
    gather: async (names) => {
      gateway.calls.length = 0;
      workspaces += 1;
      const workspaceId = `ws_${workspaces}`;
      for (const name of names) await createAgent(replicas[0], workspaceId, name);
      return workspaceId;
    },
    [Symbol.asyncDispose]: async () => {
      for (const replica of replicas) await replica[Symbol.asyncDispose]();
      await gateway[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
};
