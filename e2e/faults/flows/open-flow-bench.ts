import type { SystemFile } from '@witan/stack';
import { openReceiver } from '@witan/testing';
import { openClient } from '../client.ts';
import type { Client, ClientOf } from '../client.ts';
import { untilReceived } from '../until-received.ts';
import { openFlows } from './open-flows.ts';
import type { Flows } from './open-flows.ts';

/** All flows of a system, and the receiver of its webhooks. */
export type FlowBench = {
  client: Client;
  flows: Flows;
  /**
   * Checks what the flows have stored. Must be called when no call is in flight. Returns the
   * numbers of syntheses and of webhooks for them, and violations.
   */
  judgeStored: () => Promise<{ debates: number; webhooks: number; violations: string[] }>;
};

const WEBHOOK_PATH = '/synthesized';
const TEST_WEBHOOK_PATH = '/tests';

export const openFlowBench = async (
  system: ClientOf & Partial<SystemFile>,
  resources: AsyncDisposableStack,
): Promise<FlowBench> => {
  const receiver = resources.use(await openReceiver());
  const client = openClient(system);
  const hook = { url: receiver.urlOf(WEBHOOK_PATH), events: ['debate.synthesized'] };
  await client.read('POST', '/webhooks', hook);
  const flows = await openFlows(client, receiver.urlOf(TEST_WEBHOOK_PATH));
  return {
    client,
    flows,
    judgeStored: async () => {
      const violations: string[] = [];
      for (const { name, check } of flows.all) {
        violations.push(...(await check()).map((one) => `${name}: ${one}`));
      }
      const debates = flows.countSyntheses();
      const delivered = await untilReceived(receiver, WEBHOOK_PATH, debates);
      // A crash of the notifier or the database may cause a second POST of an attempt.
      const webhooks = new Set(delivered.map(({ headers }) => headers['x-service-delivery'])).size;
      return { debates, webhooks, violations };
    },
  };
};
