import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { ServiceError } from '@witan/contracts';
import { ModelService } from '@witan/contracts/services';
import { allowAll } from '../../test/allow-all.ts';
import { createLog } from '../log/create-log.ts';
import { createDispatcher } from './dispatcher.ts';
import { toGrpcMethod } from './grpc-method.ts';
import { openGrpcServer } from './grpc-server.ts';
import type { GrpcServer } from './grpc-server.ts';
import { implement } from './service.ts';
import { toGrpcStatus } from './status.ts';

const { path, responseDeserialize } = toGrpcMethod(ModelService.method.listModels);
const refusal = new ServiceError('CALLER_REFUSED', 'Who is that?');
/** No message of any kind: the first byte announces more than there is. */
const NOT_A_MESSAGE = Buffer.from([0xff, 0xff, 0xff]);

describe('a request over gRPC', () => {
  let server: GrpcServer;
  let client: Client;

  beforeEach(async () => {
    const implementation = implement(ModelService, { listModels: async () => ({ models: [] }) });
    server = await openGrpcServer({
      dispatcher: createDispatcher({
        implementations: [implementation],
        callers: { friend: allowAll([implementation]) },
        log: createLog({ service: 'callee', level: 'silent' }),
      }),
      address: '127.0.0.1:0',
      verifyCaller: (token) => {
        if (token === 'good') return 'friend';
        throw refusal;
      },
    });
    client = new Client(`127.0.0.1:${server.port}`, credentials.createInsecure());
  });
  afterEach(async () => {
    client.close();
    await server.stop(100);
  });

  /** Calls with a body as it is, and answers the status of the call. */
  const call = (token: string, body: Buffer): Promise<number> => {
    const metadata = new Metadata();
    metadata.set('authorization', token);
    return new Promise((resolve) => {
      client.makeUnaryRequest(
        path,
        (bytes: Buffer) => bytes,
        responseDeserialize,
        body,
        metadata,
        (error) => resolve(error?.code ?? 0),
      );
    });
  };

  it('is answered for a caller that proved who it is', async () => {
    expect(await call('good', Buffer.alloc(0))).toBe(0);
  });

  it('is not decoded for a stranger', async () => {
    const refused = toGrpcStatus(refusal).code;
    expect(await call('bad', NOT_A_MESSAGE)).toBe(refused);
    expect(await call('', NOT_A_MESSAGE)).toBe(refused);
    expect(await call('good', NOT_A_MESSAGE)).not.toBe(refused);
  });
});
