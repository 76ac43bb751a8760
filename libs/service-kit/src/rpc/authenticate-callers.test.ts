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
import { implement } from './transport.ts';
import { toGrpcStatus } from './status.ts';

const { path, responseDeserialize } = toGrpcMethod(ModelService.method.listModels);
const rejection = new ServiceError('CALLER_REFUSED', 'Who is that?');
/** Invalid protobuf: a varint without an end. */
const INVALID_MESSAGE = Buffer.from([0xff, 0xff, 0xff]);

describe('authenticateCallers', () => {
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
        throw rejection;
      },
    });
    client = new Client(`127.0.0.1:${server.port}`, credentials.createInsecure());
  });
  afterEach(async () => {
    client.close();
    await server.stop(100);
  });

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

  it('passes the request of an authenticated caller', async () => {
    expect(await call('good', Buffer.alloc(0))).toBe(0);
  });

  it('does not decode the request of an unauthenticated caller', async () => {
    const rejectedCode = toGrpcStatus(rejection).code;
    expect(await call('bad', INVALID_MESSAGE)).toBe(rejectedCode);
    expect(await call('', INVALID_MESSAGE)).toBe(rejectedCode);
    expect(await call('good', INVALID_MESSAGE)).not.toBe(rejectedCode);
  });
});
