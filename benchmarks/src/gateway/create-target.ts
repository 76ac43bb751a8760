import type { Target } from '../measure-row.ts';
import { ANSWER_TAIL, makeRequest } from './chat-traffic.ts';
import type { ChatMode } from './chat-traffic.ts';
import type { GatewaySystem, LoadGenerator, Provider } from './open-systems.ts';

/**
 * Chat completions of one mode through one system. The proof ids of all its answers are added to
 * `ids`; a system without a certificate for every answer fails.
 */
export const createChatTarget = (options: {
  system: GatewaySystem;
  mode: ChatMode;
  provider: Provider;
  clients: LoadGenerator;
  ids: string[];
}): Target => {
  const { system, mode, provider, clients, ids } = options;
  return {
    counted: system.processes,
    bystanders: { provider: provider.pid, clients: clients.pid },
    run: async (limits) => {
      const answer = await clients.ask({
        limits,
        url: system.url,
        headers: system.headers,
        body: makeRequest(mode),
        tail: ANSWER_TAIL[mode],
        ...(system.file ? { idHeader: 'x-service-proof' } : {}),
      });
      for (const id of answer.ids) ids.push(id);
      return answer.result;
    },
  };
};
