import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { credentials, loadPackageDefinition, Metadata, status } from '@grpc/grpc-js';
import type { Client, ClientReadableStream, ServiceError as GrpcError } from '@grpc/grpc-js';
import { ModelService } from '@witan/contracts/services';
import { createTestCertificate } from '@witan/testing/create-test-certificate';
import { service as healthDefinition } from 'grpc-health-check';
import { mountSecret } from '../../test/mount-secret.ts';
import { startService } from '../boot/start-service.ts';
import type { RunningService } from '../boot/start-service.ts';
import { createLog } from '../log/create-log.ts';
import { createTokenVerifier } from '../rpc/caller-token.ts';
import { toGrpcMethod } from '../rpc/grpc-method.ts';
import { implement } from '../rpc/transport.ts';
import { openTlsFiles } from '../tls/open-tls-files.ts';

type Status = { status: string };
type Callback<T> = (error: GrpcError | null, response: T) => void;
type HealthClient = Client & {
  check: (request: object, callback: Callback<Status>) => void;
  list: (request: object, callback: Callback<{ statuses: Record<string, Status> }>) => void;
  watch: (request: object) => ClientReadableStream<Status>;
};
const { Health } = loadPackageDefinition({ Health: healthDefinition }) as unknown as {
  Health: new (address: string, access: ReturnType<typeof credentials.createSsl>) => HealthClient;
};

const authority = createTestCertificate(['an authority'], { isAuthority: true });
const identity = createTestCertificate(['localhost'], { issuer: authority });
const stranger = createTestCertificate(['localhost']);

const DRAIN_MS = 25_000;

describe('grpc.health.v1 over mutual TLS', () => {
  let service: RunningService;
  let isDatabaseDown = false;
  const closers: (() => unknown)[] = [];

  beforeEach(async () => {
    isDatabaseDown = false;
    const secret = await mountSecret({
      'tls.crt': identity.cert,
      'tls.key': identity.key,
      'ca.crt': authority.cert,
    });
    const log = createLog({ service: 'ledger', level: 'silent' });
    const tls = await openTlsFiles({ paths: secret.paths, log });
    const database = async (): Promise<void> => {
      if (isDatabaseDown) throw new Error('password authentication failed for "witan"');
    };
    service = await startService({
      name: 'ledger',
      config: {},
      create: async () => ({
        implementations: [implement(ModelService, { listModels: async () => ({ models: [] }) })],
        checks: { database },
        stop: async () => {},
      }),
      callGraph: {},
      log,
      connect: () => {
        throw new Error('This service calls no other.');
      },
      admin: { host: '127.0.0.1', port: 0 },
      grpc: {
        address: '127.0.0.1:0',
        verifyCaller: createTokenVerifier({ audience: 'ledger', publicKeys: {} }),
        credentials: tls.server,
      },
      drainMs: DRAIN_MS,
    });
    closers.push(
      () => secret[Symbol.asyncDispose](),
      () => tls[Symbol.asyncDispose](),
      () => service.stop(),
    );
  });
  afterEach(async () => {
    for (const close of closers.splice(0).toReversed()) await close();
  });

  const connect = (own?: { cert: string; key: string }): HealthClient => {
    const [key, cert] = own ? [Buffer.from(own.key), Buffer.from(own.cert)] : [null, null];
    const access = credentials.createSsl(Buffer.from(authority.cert), key, cert);
    const client = new Health(`localhost:${service.grpcPort}`, access);
    closers.push(() => client.close());
    return client;
  };
  const check = (client: HealthClient): Promise<string> =>
    new Promise((resolve) => {
      client.check({ service: '' }, (error, response) =>
        resolve(error ? status[error.code] : response.status),
      );
    });
  const read = async (watch: ClientReadableStream<Status>): Promise<string> => {
    const [{ status: reported }] = (await once(watch, 'data')) as [Status];
    return reported;
  };

  it('responds to a client with a certificate of the authority, without a caller token', async () => {
    const client = connect(identity);
    const watch = client.watch({ service: '' });
    expect(await read(watch)).toBe('SERVING');
    expect(await check(client)).toBe('SERVING');
    const listed = await new Promise((resolve) => {
      client.list({}, (error, response) => resolve(error ?? response.statuses));
    });
    expect(listed).toEqual({ '': { status: 'SERVING' } });
    isDatabaseDown = true;
    expect(await read(watch)).toBe('NOT_SERVING');
    expect(await check(client)).toBe('NOT_SERVING');
    watch.on('error', () => {}).cancel();
  });

  it.each([
    ['no certificate', undefined],
    ['a certificate of another authority', stranger],
  ])('refuses a client with %s', async (_name, own) => {
    expect(await check(connect(own))).toBe('UNAVAILABLE');
  });

  it('leaves all other RPCs to callers with a token', async () => {
    const { path, responseDeserialize } = toGrpcMethod(ModelService.method.listModels);
    const code = await new Promise((resolve) => {
      connect(identity).makeUnaryRequest(
        path,
        (bytes: Buffer) => bytes,
        responseDeserialize,
        Buffer.of(0xff),
        new Metadata(),
        (error) => resolve(error?.code),
      );
    });
    // The request is not valid protobuf: it is refused before it is decoded.
    expect(code).toBe(status.PERMISSION_DENIED);
  });

  it('ends a watch when the service stops, which does not wait for it', async () => {
    const watch = connect(identity).watch({ service: '' });
    const seen: string[] = [];
    watch.on('data', ({ status: reported }: Status) => seen.push(reported));
    const ended = once(watch, 'end');
    await once(watch, 'data');
    await service.stop();
    // Rejects if the server had to cut the call after its time to drain.
    await ended;
    expect(seen.at(-1)).toBe('NOT_SERVING');
  });
});
