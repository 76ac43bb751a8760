import { once } from 'node:events';
import { createServer, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Caller } from '../http-client.ts';

/**
 * Opens a proxy on loopback that adds the API key to each request and passes everything else on,
 * for programs that cannot send one.
 */
export const openKeyProxy = async ({
  baseUrl,
  apiKey,
}: Caller): Promise<AsyncDisposable & { url: string }> => {
  const { hostname, port } = new URL(baseUrl);
  const server = createServer((request, response) => {
    const headers = { ...request.headers, authorization: `Bearer ${apiKey}` };
    const { method, url: path } = request;
    const forwarded = sendRequest({ hostname, port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    response.on('close', () => forwarded.destroy());
    request.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
