import type { handleServerStreamingCall, Server, ServerWritableStream } from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import type { CheckReadiness } from './readiness.ts';

const INTERVAL_MS = 2_000;

export type HealthService = { addTo: (server: Server) => void; stop: () => void };

type Watch = ServerWritableStream<unknown, unknown>;
type WatchHandler = handleServerStreamingCall<unknown, unknown>;

/**
 * Creates grpc.health.v1 of a server: Check, List and Watch of the service name '', without a
 * caller token. `stop` reports NOT_SERVING and ends the watches, because a server that stops waits
 * for its running calls.
 */
export const createHealthService = (checkReadiness: CheckReadiness): HealthService => {
  const health = new HealthImplementation({ '': 'NOT_SERVING' });
  const watches = new Set<Watch>();
  const refresh = async (): Promise<void> => {
    const { ready } = await checkReadiness();
    if (timer) health.setStatus('', ready ? 'SERVING' : 'NOT_SERVING');
  };
  let timer: NodeJS.Timeout | undefined;
  return {
    addTo: (server) => {
      health.addToServer({
        addService: (definition, handlers) => {
          const watch = recordWatches(watches, handlers.watch as WatchHandler);
          server.addService(definition, { ...handlers, watch });
        },
      });
      timer = setInterval(() => void refresh(), INTERVAL_MS);
      timer.unref();
      void refresh();
    },
    stop: () => {
      clearInterval(timer);
      timer = undefined;
      health.setStatus('', 'NOT_SERVING');
      for (const watch of watches) watch.end();
    },
  };
};

const recordWatches =
  (watches: Set<Watch>, handler: WatchHandler): WatchHandler =>
  (call) => {
    watches.add(call);
    // grpc-js emits `cancelled` after every end of a call.
    call.on('cancelled', () => watches.delete(call));
    handler(call);
  };
