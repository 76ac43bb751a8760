import type { DescMethod, Message } from '@bufbuild/protobuf';
import type { UntypedHandleCall } from '@grpc/grpc-js';
import { cancelled, unavailable } from '@witan/contracts';
import type { CallOptions, StreamOptions } from '../rpc/call.ts';
import { createGrpcTransport } from '../rpc/grpc-client.ts';
import type { GrpcTransportOptions, RpcLink } from '../rpc/grpc-client.ts';
import type { Transport } from '../rpc/transport.ts';
import type { CallToStart, StartedCall } from './client-call.ts';
import { findReplicas } from './watch-replicas.ts';
import type { ReplicaAddress } from './watch-replicas.ts';
import { readResponses } from './read-responses.ts';
import { createSessionPool } from './session-pool.ts';
import type { SessionPool } from './session-pool.ts';
import { createSessionHandler } from './serve-session.ts';
import { SESSION_METHOD } from './frames.ts';

/**
 * Maximum time for which a call waits for an open session, so that a short restart of a service
 * need not fail the call.
 */
const CONNECT_WAIT_MS = 1_000;
/**
 * Interval at which a session is replaced: half the lifetime of the token with which it was opened.
 */
const RENEW_MS = 30_000;

type SessionTransportOptions = GrpcTransportOptions & {
  findReplicas?: () => Promise<readonly ReplicaAddress[]>;
  /** Interval of replica lookups and session renewals, in milliseconds. */
  renewMs?: number;
};

/**
 * Creates a transport over sessions. Unary and server-streaming calls share one gRPC stream per
 * replica, round robin, because the overhead of a grpc-js call is several times the cost of the
 * call itself. Duplex calls are long-lived and use plain gRPC, which moves a call to another
 * replica if the first one has just begun to stop.
 */
export const createSessionTransport = (options: SessionTransportOptions): Transport => {
  const { address, token, credentials, onUnreachable } = options;
  const direct = createGrpcTransport(options);
  const pool = createSessionPool({
    token,
    credentials,
    findReplicas: options.findReplicas ?? (() => findReplicas(address)),
    renewMs: options.renewMs ?? RENEW_MS,
    onUnreachable,
  });
  return {
    unary: (method, request, callOptions) => callUnary(pool, method, request, callOptions),
    serverStream: (method, request, callOptions) =>
      readResponses((receiver) => start(pool, { method, request, options: callOptions, receiver })),
    duplex: (method, requests, callOptions) => runDuplex(direct, { method, requests, callOptions }),
    ready: async (timeoutMs) => void (await pool.wait({ waitMaxMs: timeoutMs })),
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

const start = (pool: SessionPool, call: CallToStart): StartedCall | Promise<StartedCall> => {
  if (call.options.signal?.aborted) throw cancelled();
  return pool.pick()?.start(call) ?? startLater(pool, call);
};

const startLater = async (pool: SessionPool, call: CallToStart): Promise<StartedCall> => {
  const { timeoutMs, ...options } = call.options;
  const startedAt = performance.now();
  const session = await pool.wait({ ...options, timeoutMs, waitMaxMs: CONNECT_WAIT_MS });
  const leftMs = timeoutMs - (performance.now() - startedAt);
  return session.start({ ...call, options: { ...options, timeoutMs: leftMs } });
};

type DuplexCall = {
  method: DescMethod;
  requests: AsyncIterable<Message>;
  callOptions: StreamOptions;
};

/** Waits up to `CONNECT_WAIT_MS` for a connection, as a call over sessions does. */
async function* runDuplex(
  direct: Transport,
  { method, requests, callOptions }: DuplexCall,
): AsyncGenerator<Message> {
  const { timeoutMs = Infinity, ...options } = callOptions;
  if (options.signal?.aborted) throw cancelled();
  const startedAt = performance.now();
  await direct.ready(Math.min(timeoutMs, CONNECT_WAIT_MS));
  const leftMs = timeoutMs - (performance.now() - startedAt);
  const limit = timeoutMs === Infinity ? {} : { timeoutMs: leftMs };
  yield* direct.duplex(method, requests, { ...options, ...limit });
}

/**
 * Connects services over sessions: one long-lived gRPC stream per replica, which all unary and
 * server-streaming calls share. Duplex calls use plain gRPC.
 */
export const sessions: RpcLink = {
  connect: createSessionTransport,
  addTo: (server, options) => {
    server.addService(
      { open: SESSION_METHOD },
      { open: createSessionHandler(options) as UntypedHandleCall },
    );
  },
};
