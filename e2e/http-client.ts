import type { Certificate } from '@witan/proof';
import { expectFormat } from './expect-format.ts';

export type Answer = {
  status: number;
  headers: Headers;
  bytes: Buffer;
  text: string;
  /** The parsed body; undefined if it is not valid JSON. */
  json: unknown;
};

export type RequestOptions = {
  method?: string;
  headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON; a string or bytes are sent unchanged. */
  body?: object | string | Uint8Array;
  signal?: AbortSignal;
};

export type Caller = { baseUrl: string; apiKey: string };

export type HttpClient = {
  /** Sends a request with the caller's API key, which `headers` replace if they are given. */
  send: (path: string, init?: RequestOptions) => Promise<Answer>;
  /** Sends a request like `send`, but resolves as soon as status and headers have arrived. */
  open: (path: string, init?: RequestOptions) => Promise<Response>;
  complete: (body: NonNullable<RequestOptions['body']>, init?: RequestOptions) => Promise<Answer>;
  message: (body: NonNullable<RequestOptions['body']>, init?: RequestOptions) => Promise<Answer>;
  /** Returns the certificate that the header `x-service-proof` names. */
  certificateOf: (answer: Pick<Answer, 'headers'>) => Promise<Certificate>;
  /** Returns the certificates of the caller's workspace in the order of the chain; at most 500. */
  listCertificates: () => Promise<Certificate[]>;
};

export const CHAT = '/v1/chat/completions';
export const MESSAGES = '/v1/messages';
export const RESPONSES = '/v1/responses';

/** A minimal body for chat completions and a model of the scripted provider. */
export const PING = { model: 'gpt-test', messages: [{ role: 'user', content: 'ping' }] };
/** A minimal body of the responses dialect for a model of the scripted provider. */
export const RESPONSE_PING = { model: 'gpt-test', input: 'ping' };
/**
 * A minimal body for a model of the messages provider; valid in the chat-completions dialect, too.
 */
export const MESSAGE_PING = { ...PING, model: 'claude-test', max_tokens: 64 };

export const createHttpClient = ({ baseUrl, apiKey }: Caller): HttpClient => {
  const open = (path: string, init: RequestOptions = {}): Promise<Response> => {
    const { body, method = body === undefined ? 'GET' : 'POST', signal } = init;
    const credentials = init.headers ?? { authorization: `Bearer ${apiKey}` };
    const contentType = body === undefined ? {} : { 'content-type': 'application/json' };
    const headers = { ...contentType, ...credentials };
    return fetch(`${baseUrl}${path}`, { method, headers, body: toBody(body), signal });
  };
  const send = async (path: string, init?: RequestOptions): Promise<Answer> => {
    const answer = await readAnswer(await open(path, init));
    expectFormat(path, answer);
    return answer;
  };
  return {
    open,
    send,
    complete: (body, init) => send(CHAT, { ...init, body }),
    message: (body, init) => send(MESSAGES, { ...init, body }),
    certificateOf: async ({ headers }) => {
      const { json } = await send(`/v1/proofs/${headers.get('x-service-proof')}`);
      return json as Certificate;
    },
    listCertificates: async () => {
      const { json } = await send('/v1/proofs?limit=500');
      return (json as { proofs: Certificate[] }).proofs;
    },
  };
};

export const readAnswer = async (response: Response): Promise<Answer> => {
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = bytes.toString();
  return { status: response.status, headers: response.headers, bytes, text, json: parseJson(text) };
};

const toBody = (body: RequestOptions['body']): string | Uint8Array | undefined => {
  const isRaw = typeof body === 'string' || ArrayBuffer.isView(body) || body === undefined;
  return isRaw ? (body as string | Uint8Array | undefined) : JSON.stringify(body);
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // The body is not JSON, for example an event stream; such tests read `text`.
  }
};
