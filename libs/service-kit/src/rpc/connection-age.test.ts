import { afterEach, describe, expect, it } from '@jest/globals';
import { Client, credentials, Server, ServerCredentials } from '@grpc/grpc-js';
import type { ServerDuplexStream } from '@grpc/grpc-js';
import { CHANNEL_OPTIONS } from './grpc-client.ts';

const AGE_MS = 300;
const identity = (bytes: Buffer): Buffer => bytes;
const ECHO = {
  path: '/test.Echo/Open',
  requestStream: true,
  responseStream: true,
  requestSerialize: identity,
  requestDeserialize: identity,
  responseSerialize: identity,
  responseDeserialize: identity,
};

/**
 * If the channel's options enable keepalive pings, shortens their interval so that a ping is due
 * while the connection closes.
 */
const KEEPALIVE =
  'grpc.keepalive_time_ms' in CHANNEL_OPTIONS ? { 'grpc.keepalive_time_ms': 100 } : {};

describe('a connection that exceeds the maximum age', () => {
  let server: Server;
  let client: Client;
  afterEach(() => {
    client.close();
    server.forceShutdown();
  });

  it('lets its running stream finish', async () => {
    server = new Server({ 'grpc.max_connection_age_ms': AGE_MS });
    const open = (call: ServerDuplexStream<Buffer, Buffer>): void => {
      call.on('data', (bytes: Buffer) => call.write(bytes));
      call.on('end', () => call.end());
    };
    server.addService({ open: ECHO }, { open });
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      );
    });
    const options = { ...CHANNEL_OPTIONS, ...KEEPALIVE };
    client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), options);
    const stream = client.makeBidiStreamRequest(ECHO.path, identity, identity);
    const echoes: string[] = [];
    const ended = new Promise<unknown>((resolve) => {
      stream.on('data', (bytes: Buffer) => echoes.push(bytes.toString()));
      stream.on('end', () => resolve('ended'));
      stream.on('error', resolve);
    });
    // Waits until the channel no longer uses the connection and the connection is older than twice
    // its maximum age.
    stream.write(Buffer.from('young'));
    await new Promise<void>((resolve, reject) => {
      client.waitForReady(Date.now() + 5_000, (error) => (error ? reject(error) : resolve()));
    });
    const channel = client.getChannel();
    await new Promise<void>((resolve, reject) => {
      channel.watchConnectivityState(channel.getConnectivityState(false), Date.now() + 5_000, (e) =>
        e ? reject(e) : resolve(),
      );
    });
    await new Promise((resolve) => {
      setTimeout(resolve, AGE_MS);
    });
    stream.write(Buffer.from('old'));
    stream.end();
    expect([await ended, echoes]).toEqual(['ended', ['young', 'old']]);
  });
});
