import type { Registry } from 'prom-client';
import type { Checks } from '../health/run-checks.ts';
import type { Log } from '../log/create-log.ts';
import type { AllowedRpcs } from '../rpc/dispatcher.ts';
import type { Implementation } from '../rpc/service.ts';
import type { Transport } from '../rpc/transport.ts';

export type Host = {
  log: Log;
  registry: Registry;
  /**
   * Returns a transport to the named service. Throws if the call graph does not allow calls to it.
   */
  connect: (service: string) => Transport;
};

export type Service = {
  implementations: readonly Implementation[];
  checks: Checks;
  stop: () => Promise<void>;
  http?: {
    url: string;
    drain: (timeoutMs: number) => Promise<void>;
  };
};

export type CreateService<Config> = (config: Config, host: Host) => Promise<Service>;

export type CallGraph = Readonly<Record<string, Readonly<Record<string, AllowedRpcs>>>>;
