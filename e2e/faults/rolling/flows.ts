/** What a client of the edge needs. */
export type Client = { baseUrl: string; apiKey: string };

/** Makes one call after another of one kind; each answers what was wrong, empty when nothing. */
export type Flow = { name: string; call: () => Promise<string> };

/** Longer than any of these calls may take on a busy machine. */
const PATIENCE_MS = 60_000;
const COMPANY = { sector: 'saas', revenue: 2_400_000, employees: 24, burn: 60_000 };
/** Then the next simulation is begun. */
const TURNS = 8;

/** What people do with the council, beside completions: each as one client would. */
export const openFlows = async (client: Client): Promise<Flow[]> => {
  const { agents } = await readJson<{ agents: { id: string }[] }>(client, 'GET', '/agents');
  const [agent] = agents;
  const ask = { message: 'Shall we open a second shop?', extraction: { categories: ['place'] } };
  return [
    { name: 'read', call: () => plain(client, 'GET', '/agents') },
    { name: 'chat', call: () => plain(client, 'POST', `/agents/${agent!.id}/chat`, ask) },
    { name: 'chat, streamed', call: () => streamed(client, `/agents/${agent!.id}/chat`, ask) },
    { name: 'debate', call: await openDebate(client) },
    { name: 'advance', call: openAdvance(client) },
    { name: 'market', call: () => streamed(client, '/market-analysis/stream', MARKET) },
  ];
};

const MARKET = { query: 'Bakeries in Berlin: how large is the market?' };

/** One debate after the other in a conversation. */
const openDebate = async (client: Client): Promise<Flow['call']> => {
  type Made = { conversation: { id: string } };
  const body = { title: 'A second shop' };
  const { conversation } = await readJson<Made>(client, 'POST', '/conversations', body);
  let question = 0;
  return () => {
    question += 1;
    const content = `Question ${question}: shall we open a second shop in the station?`;
    return streamed(client, `/conversations/${conversation.id}/message`, { content });
  };
};

const openAdvance = (client: Client): Flow['call'] => {
  let simulation = { id: '', turns: TURNS };
  return async () => {
    if (simulation.turns === TURNS) {
      type Made = { simulation: { id: string } };
      const body = { name: 'North', turnUnit: 'quarter', companyBase: COMPANY };
      const made = await readJson<Made>(client, 'POST', '/sim-engine/simulations', body);
      simulation = { id: made.simulation.id, turns: 0 };
    }
    simulation.turns += 1;
    return streamed(client, `/sim-engine/simulations/${simulation.id}/advance`, {});
  };
};

const plain = async (
  client: Client,
  method: string,
  path: string,
  body?: object,
): Promise<string> => {
  const { status, text } = await send(client, { method, path, body });
  return status < 300 && text.startsWith('{') ? '' : `${status} ${text}`;
};

/** Whole when its last event says so. */
const streamed = async (client: Client, path: string, body: object): Promise<string> => {
  const headers = { accept: 'text/event-stream' };
  const { status, text } = await send(client, { method: 'POST', path, body, headers });
  const last = text.trimEnd().split('\n\n').at(-1)!;
  return status === 200 && /^event: (done|completed)$/m.test(last) ? '' : `${status} ${last}`;
};

const readJson = async <T>(
  client: Client,
  method: string,
  path: string,
  body?: object,
): Promise<T> => {
  const { status, text } = await send(client, { method, path, body });
  if (status >= 300) throw new Error(`${method} /v1${path}: ${status} ${text}`);
  return JSON.parse(text) as T;
};

type Sending = { method: string; path: string; body?: object | undefined; headers?: object };

/** Status 0: the connection broke, or nothing came. */
const send = async (
  { baseUrl, apiKey }: Client,
  { method, path, body, headers }: Sending,
): Promise<{ status: number; text: string }> => {
  try {
    const response = await fetch(`${baseUrl}/v1${path}`, {
      method,
      headers: { ...headers, 'x-api-key': apiKey, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    return { status: 0, text: describe(error) };
  }
};

/** `fetch failed` says nothing; its cause does. */
const describe = (error: unknown): string =>
  Error.isError(error) && Error.isError(error.cause)
    ? `${error.message}: ${error.cause.message}`
    : String(error);
