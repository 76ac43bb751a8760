import { openAdvanceFlow } from './advance-flow.ts';
import { openChatFlow } from './chat-flow.ts';
import type { Client } from '../client.ts';
import { openDebateFlow } from './debate-flow.ts';
import { openDeliveryFlow } from './delivery-flow.ts';
import { checkNothing } from './flow.ts';
import type { Flow } from './flow.ts';

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
