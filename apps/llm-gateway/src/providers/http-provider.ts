import { isServiceError, ServiceError } from '@witan/contracts';
import { Agent, buildConnector } from 'undici';
import type { DialectName } from '@witan/dialects';
import type { Provider, ProviderAnswer, ProviderRequest } from '../domain/completion/ports.ts';
import { parseBody, readBody } from '../domain/completion/read-body.ts';
import { sendRequest } from './send-request.ts';

/** Where a provider is and how it is called. */
export type HttpProviderOptions = {
  name: string;
  dialect: DialectName;
  /** As the official SDK of the dialect reads it; a query of it stays behind every path. */
  baseUrl: string;
  /** Behind the base URL; without `countTokens` the provider cannot count. */
  paths: { complete: string; models: string; modelsQuery?: string; countTokens?: string };
  /** Headers of a call, given those of the client that belong to the dialect. */
  headersFor: (client: Readonly<Record<string, string>>) => Readonly<Record<string, string>>;
  timeouts: ProviderTimeouts;
  /** Opens connections; a guard may refuse some. */
  connect?: buildConnector.connector;
};

/** A provider that holds connections. */
export type ClosableProvider = Provider & {
  /** Ends its connections and whatever runs on them. */
  close: () => Promise<void>;
  /** Takes no new call; ends its connections once running calls are over. */
  retire: () => void;
};

/** All in milliseconds. */
export type ProviderTimeouts = { connectMs: number; firstByteMs: number; idleMs: number };

/** Sockets to one provider; calls beyond it wait their turn. */
const CONNECTIONS_MAX = 1_024;
/** How long a connection to an address that a user gave may be kept, in milliseconds. */
const GUARDED_MAX_MS = 30_000;
/** Largest list of models, in bytes. */
const MODELS_BYTES_MAX = 4 * 1024 * 1024;

/** A provider over HTTP. Never retries: clients do. */
export const createHttpProvider = (options: HttpProviderOptions): ClosableProvider => {
  const { name, dialect, headersFor, paths } = options;
  const agent = new Agent({
    connections: CONNECTIONS_MAX,
    pipelining: 1,
    headersTimeout: options.timeouts.firstByteMs,
    bodyTimeout: options.timeouts.idleMs,
    // One call a connection: a lost one must not take others with it.
    allowH2: false,
    connect: createConnector(options),
    // A host that a user gave is looked up and judged again within this time.
    ...(options.connect ? { clientTtl: GUARDED_MAX_MS } : {}),
  });
  const at = createLocator(options.baseUrl);
  const post = async (path: string, call: ProviderRequest): Promise<ProviderAnswer> => {
    const { body, signal, query } = call;
    const client = withoutCredentials(call.headers);
    const headers = { ...headersFor(client), 'content-type': 'application/json' };
    return await send(agent, { ...at(path, query), method: 'POST', headers, body, signal });
  };
  const { countTokens } = paths;
  return {
    name,
    dialect,
    complete: (call) => post(paths.complete, call),
    ...(countTokens ? { countTokens: (call) => post(countTokens, call) } : {}),
    listModels: async (signal) => {
      const headers = headersFor({});
      const call = {
        ...at(paths.models, paths.modelsQuery ?? ''),
        method: 'GET' as const,
        headers,
        signal,
      };
      const { body, status } = await send(agent, call);
      const bytes = await readBody({ body }, MODELS_BYTES_MAX);
      if (status !== 200) throw unreadableModels();
      return toModelIds(bytes);
    },
    close: () => agent.destroy(),
    retire: () => void agent.close(),
  };
};

/** Whatever fails while connecting, no byte of a call has left the house. */
const createConnector = ({ connect, timeouts }: HttpProviderOptions): buildConnector.connector => {
  const open = connect ?? buildConnector({ timeout: timeouts.connectMs, allowH2: false });
  return (target, callback) =>
    open(target, (...result) => {
      const [error, socket] = result;
      if (error) callback(isServiceError(error) ? error : unreachable(error), null);
      else callback(null, socket);
    });
};

const unreachable = (cause: unknown): ServiceError =>
  new ServiceError('PROVIDER_UNREACHABLE', 'The model provider cannot be reached.', { cause });

/** The edge keeps them back; should one come through, it still goes to nobody (rule 14). */
const CREDENTIALS = /^(authorization|proxy-authorization|x-api-key|api-key|cookie)$/;

const withoutCredentials = (headers: ProviderRequest['headers']): ProviderRequest['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !CREDENTIALS.test(name)));

/** Paths stand behind the base URL's own; its query and the call's are joined. */
const createLocator = (baseUrl: string) => {
  const base = new URL(baseUrl);
  const prefix = base.pathname.replace(/\/$/, '');
  const own = base.search.slice(1);
  return (path: string, query: string): { origin: string; path: string } => {
    const joined = [own, query].filter(Boolean).join('&');
    return { origin: base.origin, path: `${prefix}${path}${joined ? `?${joined}` : ''}` };
  };
};

const send = async (
  agent: Agent,
  call: Parameters<typeof sendRequest>[1],
): Promise<ProviderAnswer> => {
  // Retired between the choice and the call: undici's errors do not tell whether something left.
  if (agent.closed) throw retired();
  return await sendRequest(agent, call);
};

const retired = (): ServiceError =>
  new ServiceError(
    'PROVIDER_UNREACHABLE',
    'The settings of this model provider have just changed; send the call again.',
  );

const toModelIds = (body: Buffer): string[] => {
  const list = parseBody(body);
  const data = list?.data;
  if (!Array.isArray(data)) throw unreadableModels();
  return data.flatMap((model: unknown) =>
    typeof model === 'object' && model !== null && 'id' in model && typeof model.id === 'string'
      ? [model.id]
      : [],
  );
};

const unreadableModels = (): ServiceError =>
  new ServiceError('PROVIDER_INVALID_ANSWER', 'The model provider did not list its models.');
