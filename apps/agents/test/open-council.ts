import { createTestDatabase } from '@witan/testing';
import { createAgent, openAgents } from './open-agents.ts';
import type { TestAgents } from './open-agents.ts';
import { openFakeGateway } from './fake-gateway.ts';
import type { GatewayCall, FakeGateway } from './fake-gateway.ts';

/** Two replicas of the service on one database, with a fake llm-gateway. */
export type TestCouncil = AsyncDisposable & {
  gateway: FakeGateway;
  replicas: readonly [TestAgents, TestAgents];
  /** Opens another replica, which the caller must dispose of. */
  openReplica: () => Promise<TestAgents>;
  /**
   * Creates a workspace with one agent per name, clears the recorded model calls and returns the
   * workspace's id.
   */
  createWorkspace: (names: readonly string[]) => Promise<string>;
};

const LEASE_MS = 2_000;
const POLL_EVERY_MS = 200;

export const openCouncil = async (
  respond: (call: GatewayCall) => Promise<object>,
): Promise<TestCouncil> => {
  const database = await createTestDatabase(['agents']);
  const gateway = await openFakeGateway(respond);
  const openReplica = () =>
    openAgents(database.urls['agents']!, {
      connect: gateway.connect,
      debateLeaseMs: LEASE_MS,
      debatePollIntervalMs: POLL_EVERY_MS,
    });
  const replicas = [await openReplica(), await openReplica()] as const;
  let workspaces = 0;
  return {
    gateway,
    replicas,
    openReplica,
    createWorkspace: async (names) => {
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
