import type { AllowedRpcs } from '../src/rpc/dispatcher.ts';
import type { Implementation } from '../src/rpc/transport.ts';

export const allowAll = (implementations: readonly Implementation[]): AllowedRpcs =>
  Object.fromEntries(
    implementations.map(({ service }) => [service.name, service.methods.map(({ name }) => name)]),
  );
