import type { Registry } from 'prom-client';
import type { Checks } from '../health/run-checks.ts';
import type { Log } from '../log/create-log.ts';
import type { AllowedRpcs } from '../rpc/dispatcher.ts';
import type { Implementation } from '../rpc/service.ts';
import type { Transport } from '../rpc/transport.ts';

/** How a service meets the outside, whatever process it lives in. */
export type Host = {
  log: Log;
  registry: Registry;
  /** The way to another service; the call graph must allow it. */
  connect: (service: string) => Transport;
};

/** A composed service: what answers its calls and how it ends. */
export type Service = {
  implementations: readonly Implementation[];
  checks: Checks;
  /** Ends its own loops and frees its resources; called when no call runs any more. */
  stop: () => Promise<void>;
  /** A public listener of its own, when it has one. */
  http?: {
    url: string;
    /** Takes no new request and waits for running ones, up to `timeoutMs`. */
    drain: (timeoutMs: number) => Promise<void>;
  };
};

/** The composition root of a service. */
export type CreateService<Config> = (config: Config, host: Host) => Promise<Service>;

/** The RPCs that each service may call: by caller and callee. */
export type CallGraph = Readonly<Record<string, Readonly<Record<string, AllowedRpcs>>>>;
