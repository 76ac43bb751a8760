import type { SystemFile } from '@witan/stack';
import { openReceiver } from '@witan/testing';
import { openClient } from '../client.ts';
import type { Client, ClientOf } from '../client.ts';
import { untilReceived } from '../until.ts';
import { openAdvanceFlow } from './advance-flow.ts';
import { openChatFlow } from './chat-flow.ts';
import { openDebateFlow } from './debate-flow.ts';
import { checkNothing } from './flow.ts';
import type { Flow } from './flow.ts';

/** All flows of a system, and the receiver of its webhooks. */
export type FlowBench = {
  client: Client;
  flows: Flows;
  /**
   * Checks what the flows have stored. Must be called when no call is in flight. Returns the
   * numbers of syntheses and of webhooks for them, and violations.
   */
  checkStored: () => Promise<{ debates: number; webhooks: number; violations: string[] }>;
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
    checkStored: async () => {
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

export type Flows = {
  all: readonly Flow[];
  /**
   * Returns the number of debates that have a synthesis, as counted by the last `check` of the
   * debate flow.
   */
  countSyntheses: () => number;
};

const COMPLETION = {
  model: 'witan-offline',
  messages: [{ role: 'user', content: 'Shall we open a second shop?' }],
};
const MARKET = { query: 'Bakeries in Berlin: how large is the market?' };

/** Opens all flows; test webhooks are sent to `hookUrl`. */
export const openFlows = async (client: Client, hookUrl: string): Promise<Flows> => {
  const { agents } = await client.read<{ agents: { id: string }[] }>('GET', '/agents');
  const [one, other] = agents;
  const debates = openDebateFlow(client);
  return {
    all: [
      { name: 'read', call: () => client.call('GET', '/agents'), check: checkNothing },
      {
        name: 'completion',
        call: () => client.call('POST', '/chat/completions', COMPLETION),
        check: checkNothing,
      },
      await openDeliveryFlow(client, hookUrl),
      await openChatFlow(client, one!.id, false),
      await openChatFlow(client, other!.id, true),
      debates,
      openAdvanceFlow(client),
      {
        name: 'market',
        call: () => client.stream('/market-analysis/stream', MARKET),
        check: checkNothing,
      },
    ],
    countSyntheses: debates.countSyntheses,
  };
};

/**
 * Opens a flow that sends test events to a webhook at `url`. A call succeeds if the event is
 * delivered at its only attempt.
 */
export const openDeliveryFlow = async (client: Client, url: string): Promise<Flow> => {
  const hook = { url, events: ['webhook.test'] };
  const { webhook } = await client.read<{ webhook: { id: string } }>('POST', '/webhooks', hook);
  return {
    name: 'delivery',
    call: async () => {
      const { status, text } = await client.send('POST', `/webhooks/${webhook.id}/test`);
      return status === 200 && isDelivered(text) ? '' : `${status} ${text}`;
    },
    check: checkNothing,
  };
};

const isDelivered = (text: string): boolean => (JSON.parse(text) as { success: boolean }).success;
