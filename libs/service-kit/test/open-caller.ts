import type { ChannelCredentials } from '@grpc/grpc-js';
import type { ServiceError } from '@witan/contracts';
import { CompletionService, ModelService } from '@witan/contracts/services';
import type { ReplicaAddress } from '../src/sessions/watch-replicas.ts';
import { createSessionTransport } from '../src/sessions/sessions.ts';
import type { Client, Transport } from '../src/rpc/transport.ts';
import { createClient } from '../src/rpc/transport.ts';
import { CALL } from './open-callee.ts';
import type { Callee } from './open-callee.ts';

export type Caller = {
  transport: Transport;
  models: Client<typeof ModelService>;
  completions: Client<typeof CompletionService>;
  /** Returns the name of the replica that responds, which is the id of its first model. */
  readReplicaName: (timeoutMs?: number, signal?: AbortSignal) => Promise<string>;
  /** Returns the name of the replica that responds to a duplex call. */
  readDuplexName: () => Promise<string>;
  /**
   * Reads the first event of a stream. Returns a function that reads the other events and returns
   * how many there were in total.
   */
  startStream: () => Promise<() => Promise<number>>;
};

type CallerOptions = {
  credentials?: ChannelCredentials;
  findReplicas?: () => Promise<readonly ReplicaAddress[]>;
  renewMs?: number;
  onUnreachable?: (error: ServiceError) => void;
};

export const openCaller = (
  { address, token }: Pick<Callee, 'address' | 'token'>,
  options: CallerOptions = {},
): Caller => {
  const transport = createSessionTransport({ address, token, ...options });
  const models = createClient(ModelService, transport);
  const completions = createClient(CompletionService, transport);
  return {
    transport,
    models,
    completions,
    readReplicaName: async (timeoutMs = CALL.timeoutMs, signal) => {
      const call = { ...CALL, timeoutMs, ...(signal ? { signal } : {}) };
      return (await models.listModels({}, call)).models[0]!.id;
    },
    readDuplexName: async () => {
      const requests = async function* () {
        yield { message: { case: 'request' as const, value: {} } };
      };
      for await (const { event } of completions.completeAs(requests(), CALL)) {
        if (event.case === 'wire') return Buffer.from(event.value).toString();
      }
      throw new Error('The duplex call had no response.');
    },
    startStream: async () => {
      const events = completions.complete({}, CALL)[Symbol.asyncIterator]();
      await events.next();
      return async () => {
        let count = 1;
        while (!(await events.next()).done) count += 1;
        return count;
      };
    },
  };
};
