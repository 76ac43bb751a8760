import type { DescMethod, Message } from '@bufbuild/protobuf';
import type { ChannelCredentials } from '@grpc/grpc-js';
import { cancelled, unavailable } from '@witan/contracts';
import type { CallOptions } from '../call.ts';
import { createGrpcTransport } from '../grpc-client.ts';
import type { Transport } from '../transport.ts';
import type { CallToStart, StartedCall } from './client-call.ts';
import { findReplicas } from './find-replicas.ts';
import type { ReplicaAddress } from './find-replicas.ts';
import { readResponses } from './read-responses.ts';
import { createSessionPool } from './session-pool.ts';
import type { SessionPool } from './session-pool.ts';

/** A call that finds no session open waits this long for one: a service may be restarting. */
const CONNECT_WAIT_MS = 1_000;
/** No session takes calls for longer than this, which is half as long as a token is valid. */
const RENEW_MS = 30_000;

type SessionTransportOptions = {
  /** gRPC target, for example `dns:///ledger:50051`. */
  address: string;
  /** Answers this service's token for the target. */
  token: () => string;
  credentials?: ChannelCredentials;
  /** Where the replicas are; DNS by default. */
  findReplicas?: () => Promise<readonly ReplicaAddress[]>;
  /** How often replicas are looked up and sessions renewed, in milliseconds. */
  renewMs?: number;
};

/**
 * Calls a service over sessions: many unary and server-streaming calls share one gRPC stream to
 * each replica, in turn, because grpc-js's machinery for a call of its own costs several times what
 * the call does. Duplex calls are long-lived and go over plain gRPC.
 */
export const createSessionTransport = (options: SessionTransportOptions): Transport => {
  const { address, token, credentials } = options;
  const direct = createGrpcTransport({ address, token, ...(credentials ? { credentials } : {}) });
  const pool = createSessionPool({
    token,
    credentials,
    findReplicas: options.findReplicas ?? (() => findReplicas(address)),
    renewMs: options.renewMs ?? RENEW_MS,
  });
  return {
    unary: (method, request, callOptions) => callUnary(pool, method, request, callOptions),
    serverStream: (method, request, callOptions) =>
      readResponses((receiver) => start(pool, { method, request, options: callOptions, receiver })),
    duplex: direct.duplex,
    ready: async (timeoutMs) => void (await pool.wait({ patienceMs: timeoutMs })),
    close: async () => {
      pool.close();
      await direct.close();
    },
  };
};

const callUnary = (
  pool: SessionPool,
  method: DescMethod,
  request: Message,
  options: CallOptions,
): Promise<Message> =>
  new Promise((resolve, reject) => {
    const onEnd = (): void => reject(unavailable('A call ended without its answer.'));
    const receiver = { onMessage: resolve, onEnd, onFailure: reject };
    const started = start(pool, { method, request, options, receiver });
    if (started instanceof Promise) started.catch(reject);
  });

/** Starts at once when a session is open, as in all but the first calls. */
const start = (pool: SessionPool, call: CallToStart): StartedCall | Promise<StartedCall> => {
  if (call.options.signal?.aborted) throw cancelled();
  return pool.pick()?.start(call) ?? startLater(pool, call);
};

const startLater = async (pool: SessionPool, call: CallToStart): Promise<StartedCall> => {
  const { timeoutMs, ...options } = call.options;
  const startedAt = performance.now();
  const session = await pool.wait({ ...options, timeoutMs, patienceMs: CONNECT_WAIT_MS });
  const leftMs = timeoutMs - (performance.now() - startedAt);
  return session.start({ ...call, options: { ...options, timeoutMs: leftMs } });
};
