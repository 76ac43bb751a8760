import { eventually } from '@witan/testing';
import { writePdf } from '@witan/testing/write-pdf';

export type Exercise = {
  name: string;
  run: (api: Api) => Promise<void>;
};

/**
 * Number of words before and after the e-mail address in a text that is masked in a worker thread
 * because of its length.
 */
const LONG_TEXT_WORDS = 8_000;
const COMPANY = { sector: 'saas', revenue: 2_400_000, employees: 24, burn: 60_000 };
const PARAMETERS = {
  type: 'object',
  properties: { sku: { type: 'string', pattern: '^[a-z]+$' } },
  required: ['sku'],
};

/**
 * Checks that together use every service, worker thread and child process. They expect that `gpt-5`
 * is a model of a hosted provider, to which masking applies.
 */
export const EXERCISES: readonly Exercise[] = [
  {
    name: 'a completion is certified, and its certificate verifies',
    run: async (api) => {
      const id = await complete(api, 'Say hello.', 'service-auto');
      await expectVerified(api, id);
    },
  },
  {
    name: 'a long text is masked in a worker thread',
    run: async (api) => {
      const words = 'wood '.repeat(LONG_TEXT_WORDS);
      const id = await complete(api, `${words} anna.kern@example.com ${words}`, 'gpt-5');
      type Proof = { payload: { egress: { pii: { masked: number } } } };
      const { json } = await api.call<Proof>(`GET /v1/proofs/${id}`);
      expectThat(json.payload.egress.pii.masked > 0, 'nothing was masked');
    },
  },
  {
    name: 'an agent chats',
    run: async (api) => {
      await withTemporaryAgents(api, ['Ada'], async ([id]) => {
        type Chat = { content: string };
        const { json } = await api.call<Chat>(`POST /v1/agents/${id}/chat`, { message: 'Hi.' });
        expectThat(JSON.stringify(json).length > 2, 'the answer is empty');
      });
    },
  },
  {
    name: 'the schema of a tool is validated in a worker thread',
    run: async (api) => {
      const url = 'https://tools.example.com/stock';
      const tool = { name: unique('stock'), description: 'Says what is there.', url };
      await api.call('POST /v1/tools', { ...tool, parameters: PARAMETERS });
      const toolWithInvalidSchema = {
        ...tool,
        name: unique('wrong'),
        parameters: { type: 'object', required: 'sku' },
      };
      const refused = await api
        .call('POST /v1/tools', toolWithInvalidSchema)
        .catch((error: unknown) => error);
      expectThat(String(refused).includes('400'), `a wrong schema: ${String(refused)}`);
    },
  },
  {
    name: 'a PDF is parsed in a child process, and search finds it',
    run: async (api) => {
      type Made = { source: { id: string } };
      const name = unique('Manual');
      const { json } = await api.call<Made>('POST /v1/knowledge/sources', { name });
      const pdf = writePdf({ pages: [['The gasket of the pump is changed every spring.']] });
      const path = `/v1/knowledge/sources/${json.source.id}/documents`;
      await api.call(`POST ${path}`, pdf, { 'content-type': 'application/pdf' });
      type Found = { passages: { page: number }[] };
      const found = await api.call<Found>('POST /v1/knowledge/search', { query: 'gasket pump' });
      expectThat(found.json.passages[0]?.page === 1, 'the page was not found');
    },
  },
  {
    name: 'a council debates, and a webhook delivery follows',
    run: (api) => withTemporaryAgents(api, ['Grace', 'Edsger'], () => runDebate(api)),
  },
  {
    name: 'a simulation advances, is forecast in a worker thread, and replayed',
    run: (api) => withTemporaryAgents(api, ['Barbara'], () => runSimulation(api)),
  },
  {
    name: 'a webhook is stored with an encrypted secret',
    run: async (api) => {
      const webhook = await makeWebhook(api);
      await api.call(`POST /v1/webhooks/${webhook.id}/rotate-secret`, {});
    },
  },
  {
    name: 'the balance and the chain can be read',
    run: async (api) => {
      await api.call('GET /v1/ledger/balance');
      type Proofs = { proofs: { payload: { chainIndex: number } }[] };
      const { json } = await api.call<Proofs>('GET /v1/proofs?limit=500');
      const isWhole = json.proofs.every(({ payload }, index) => payload.chainIndex === index);
      expectThat(isWhole && json.proofs.length > 0, 'the chain has gaps');
    },
  },
];

/** Runs all exercises one after another; returns the error of each that fails, by its name. */
export const runExercises = async (api: Api): Promise<Map<string, string>> => {
  const failures = new Map<string, string>();
  for (const { name, run } of EXERCISES) {
    await run(api).catch((error: unknown) => void failures.set(name, String(error)));
  }
  return failures;
};

const runDebate = async (api: Api): Promise<void> => {
  const webhook = await makeWebhook(api);
  type Made = { conversation: { id: string } };
  const { json } = await api.call<Made>('POST /v1/conversations', { title: 'A shop' });
  const path = `/v1/conversations/${json.conversation.id}/message`;
  type Debate = { messages: { senderType: string }[] };
  const sent = await api.call<Debate>(`POST ${path}`, { content: 'Open a second shop?' });
  const hasSynthesis = sent.json.messages.some(({ senderType }) => senderType === 'synthesis');
  expectThat(hasSynthesis, 'there is no synthesis');
  await expectDelivery(api, webhook.id);
  await api.call(`DELETE /v1/webhooks/${webhook.id}`);
};

const runSimulation = async (api: Api): Promise<void> => {
  type Made = { simulation: { id: string } };
  const body = { name: 'North', turnUnit: 'quarter', companyBase: COMPANY };
  const { json } = await api.call<Made>('POST /v1/sim-engine/simulations', body);
  const path = `/v1/sim-engine/simulations/${json.simulation.id}`;
  await api.call(`POST ${path}/advance`, {});
  await api.call(`POST ${path}/forecast`, { turns: 4, runs: 100 });
  const replay = await api.call<{ matches: boolean }>(`POST ${path}/replay`, {});
  expectThat(replay.json.matches, 'the replay does not match');
};

/**
 * Runs an exercise with agents. Deletes the agents if it succeeds, because every agent of a
 * workspace joins later debates.
 */
const withTemporaryAgents = async (
  api: Api,
  names: readonly string[],
  runWithAgents: (ids: readonly string[]) => Promise<void>,
): Promise<void> => {
  const ids: string[] = [];
  type Made = { agent: { id: string } };
  for (const name of names) {
    const systemPrompt = `You are ${name}, an engineer of many years.`;
    const made = await api.call<Made>('POST /v1/agents', { name: unique(name), systemPrompt });
    ids.push(made.json.agent.id);
  }
  await runWithAgents(ids);
  for (const id of ids) await api.call(`DELETE /v1/agents/${id}`);
};

const unique = (name: string): string => `${name}_${Date.now().toString(36)}`;

const makeWebhook = async (api: Api): Promise<{ id: string }> => {
  const url = 'https://hooks.example.com/witan';
  const events = ['debate.synthesized'];
  type Made = { webhook: { id: string } };
  return (await api.call<Made>('POST /v1/webhooks', { name: 'ops', url, events })).json.webhook;
};

const expectDelivery = async (api: Api, webhookId: string): Promise<void> => {
  type DeliveryLog = { deliveries: unknown[] };
  const path = `GET /v1/webhooks/${webhookId}/deliveries`;
  await eventually(
    async () => (await api.call<DeliveryLog>(path)).json.deliveries.length > 0,
    'The delivery',
  );
};

const complete = async (api: Api, content: string, model: string): Promise<string> => {
  const messages = [{ role: 'user', content }];
  const { headers } = await api.call('POST /v1/chat/completions', { model, messages });
  const proof = headers.get('x-service-proof');
  expectThat(proof !== null, 'there is no x-service-proof');
  return proof!;
};

const expectVerified = async (api: Api, id: string): Promise<void> => {
  type Verified = { valid: boolean };
  const { json } = await api.call<Verified>(`GET /v1/proofs/${id}/verify`);
  expectThat(json.valid, `the certificate does not verify: ${JSON.stringify(json)}`);
};

const expectThat = (condition: boolean, message: string): void => {
  if (!condition) throw new Error(message);
};

export type Api = {
  /**
   * Calls `METHOD /path` and returns JSON and headers of a 2xx response. Throws ApiError for other
   * statuses.
   */
  call: <T>(
    operation: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<ApiResult<T>>;
};

export type ApiResult<T> = { json: T; headers: Headers };

export class ApiError extends Error {
  readonly status: number;

  constructor(operation: string, status: number, text: string) {
    super(`${operation}: ${status} ${text.slice(0, TEXT_MAX)}`);
    this.name = 'ApiError';
    this.status = status;
  }
}

const TEXT_MAX = 300;
const TIMEOUT_MS = 60_000;

export const createApi = (baseUrl: string, apiKey: string): Api => ({
  call: async (operation, body, headers = {}) => {
    const [method = 'GET', path = ''] = operation.split(' ');
    const isBytes = body instanceof Uint8Array;
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: isBytes ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    if (!response.ok) throw new ApiError(operation, response.status, text);
    return { json: text === '' ? undefined : JSON.parse(text), headers: response.headers };
  },
});
