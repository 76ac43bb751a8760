import { createExpectDocumented } from './expect-documented.ts';
import { createHttpClient } from './http-client.ts';
import type { Answer, HttpClient, RequestOptions } from './http-client.ts';
import { openKeys } from './open-keys.ts';
import type { Keys } from './open-keys.ts';
import { openFixture } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

type PathIds = Partial<
  Record<
    'id' | 'sid' | 'memoryId' | 'sourceId' | 'toolId' | 'deliveryId' | 'debateId' | 'scenarioId',
    string
  >
>;

/** The public API of a system. Each response of `call` is checked against the OpenAPI document. */
export type DocumentedApi = AsyncDisposable & {
  fixture: Fixture;
  keys: Keys;
  createClient: (scopes?: string[]) => Promise<HttpClient>;
  /** Calls an operation such as `PATCH /v1/agents/{id}`, with `ids` inserted into its path. */
  call: (
    client: HttpClient,
    operation: string,
    ids?: PathIds,
    init?: RequestOptions,
  ) => Promise<Answer>;
};

export const openDocumentedApi = async (
  options: Parameters<typeof openFixture>[0],
): Promise<DocumentedApi> => {
  const fixture = await openFixture(options);
  const keys = await openKeys(fixture.system);
  const expectDocumented = await createExpectDocumented(fixture.client);
  return {
    fixture,
    keys,
    createClient: async (scopes) => createHttpClient(await keys.makeKey(scopes)),
    call: async (client, operation, ids = {}, init = {}) => {
      const [method, path = ''] = operation.split(' ');
      const url = path.replaceAll(/\{(\w+)\}/g, (_all, name: keyof PathIds) => ids[name] ?? '');
      const answer = await client.send(url, { method, ...init });
      expectDocumented(answer, operation);
      return answer;
    },
    [Symbol.asyncDispose]: async () => {
      await keys[Symbol.asyncDispose]();
      await fixture[Symbol.asyncDispose]();
    },
  };
};
