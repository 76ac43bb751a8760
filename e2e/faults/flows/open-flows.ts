import { openAdvanceFlow } from './advance-flow.ts';
import { openChatFlow } from './chat-flow.ts';
import type { Client } from '../client.ts';
import { openDebateFlow } from './debate-flow.ts';
import { openDeliveryFlow } from './delivery-flow.ts';
import { nothingStored } from './flow.ts';
import type { Flow } from './flow.ts';

export type Flows = {
  all: readonly Flow[];
  /**
   * Returns the number of debates that have a synthesis, as counted by the last `check` of the
   * debate flow.
   */
  synthesised: () => number;
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
      { name: 'read', call: () => client.call('GET', '/agents'), check: nothingStored },
      {
        name: 'completion',
        call: () => client.call('POST', '/chat/completions', COMPLETION),
        check: nothingStored,
      },
      await openDeliveryFlow(client, hookUrl),
      await openChatFlow(client, one!.id, false),
      await openChatFlow(client, other!.id, true),
      debates,
      openAdvanceFlow(client),
      {
        name: 'market',
        call: () => client.stream('/market-analysis/stream', MARKET),
        check: nothingStored,
      },
    ],
    synthesised: debates.synthesised,
  };
};
