import { openReceiver } from '@witan/testing';

type ListedTool = { name: string; description: string; inputSchema: object };

/** An MCP server that only lists tools, which a test sets. */
export type ListingServer = AsyncDisposable & { url: string; tools: ListedTool[] };

const PATH = '/mcp';

export const openListingServer = async (): Promise<ListingServer> => {
  const receiver = await openReceiver();
  const server: ListingServer = {
    url: receiver.urlOf(PATH),
    tools: [],
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  };
  receiver.respond(PATH, (requestIndex, response) => {
    const { body } = receiver.requestsOf(PATH)[requestIndex]!;
    const { id } = JSON.parse(body.toString()) as { id: number };
    const result = { resultType: 'complete', tools: server.tools, ttlMs: 0, cacheScope: 'private' };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    return 'wait';
  });
  return server;
};
