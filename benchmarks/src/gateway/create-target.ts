import type { Target } from '../measure-row.ts';
import type { GatewayLoad } from './gateway-loads.ts';
import { makeAnswers } from './mock-answers.ts';
import type { GatewaySystem, HttpClients, Provider } from './open-systems.ts';
import { TRAFFIC } from './traffic/traffic.ts';
import type { TrafficDialect } from './traffic/traffic.ts';

/**
 * Returns a benchmark target that sends `load` to `system`. If the system is Witan, appends the
 * proof id of every response to `ids`; a response without one fails the run.
 */
export const createGatewayTarget = (options: {
  system: GatewaySystem;
  load: GatewayLoad;
  provider: Provider;
  clients: HttpClients;
  ids: string[];
}): Target => {
  const { system, load, provider, clients, ids } = options;
  const traffic = TRAFFIC[load.client];
  const body = traffic.makeRequest({ ...load, model: `${system.modelPrefix ?? ''}${load.model}` });
  return {
    counted: system.processes,
    bystanders: { provider: provider.pid, clients: clients.pid },
    run: async (limits) => {
      const answer = await clients.execute({
        limits,
        url: `${system.url}${traffic.path}`,
        headers: { ...traffic.headers, ...system.headers },
        body,
        tail: load.isStreamed ? LAST_FRAMES[load.client] : PLAIN_TAIL,
        ...(system.file ? { idHeader: 'x-service-proof' } : {}),
      });
      for (const id of answer.ids) ids.push(id);
      return answer.result;
    },
  };
};

/** End of a complete response that is not streamed; a response with another end fails the run. */
const PLAIN_TAIL = '}';
const lastFrameOf = (dialect: TrafficDialect): string =>
  makeAnswers(dialect).stream.at(-1)!.toString();
const LAST_FRAMES: Readonly<Record<TrafficDialect, string>> = {
  chat: lastFrameOf('chat'),
  messages: lastFrameOf('messages'),
  responses: lastFrameOf('responses'),
};
