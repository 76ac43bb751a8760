import type { Server } from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import type { CheckReadiness } from './readiness.ts';

const INTERVAL_MS = 2_000;

export type HealthService = { addTo: (server: Server) => void; stop: () => void };

export const createHealthService = (checkReadiness: CheckReadiness): HealthService => {
  const health = new HealthImplementation({ '': 'NOT_SERVING' });
  const refresh = async (): Promise<void> => {
    const { ready } = await checkReadiness();
    if (timer) health.setStatus('', ready ? 'SERVING' : 'NOT_SERVING');
  };
  let timer: NodeJS.Timeout | undefined;
  return {
    addTo: (server) => {
      health.addToServer(server);
      timer = setInterval(() => void refresh(), INTERVAL_MS);
      timer.unref();
      void refresh();
    },
    stop: () => {
      clearInterval(timer);
      timer = undefined;
      health.setStatus('', 'NOT_SERVING');
    },
  };
};
