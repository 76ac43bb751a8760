import type { Certificate } from '@witan/proof';

/** A whole answer, as its bytes came. */
export type Answer = {
  status: number;
  headers: Headers;
  bytes: Buffer;
  text: string;
  /** The body as JSON; undefined when it is none. */
  json: unknown;
};

export type Sending = {
  method?: string;
  headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON; text and bytes exactly as they are. */
  body?: object | string | Uint8Array;
  signal?: AbortSignal;
};

/** Who calls, and where. */
export type Caller = { baseUrl: string; apiKey: string };

/** A caller that sees what goes over the wire. */
export type HttpClient = {
  /** Sends the caller's key and a JSON content type unless `headers` says something else. */
  send: (path: string, sending?: Sending) => Promise<Answer>;
  /** The same, answering as soon as status and headers are there. */
  open: (path: string, sending?: Sending) => Promise<Response>;
  /** `POST /v1/chat/completions`. */
  complete: (body: NonNullable<Sending['body']>, sending?: Sending) => Promise<Answer>;
  /** `POST /v1/messages`. */
  message: (body: NonNullable<Sending['body']>, sending?: Sending) => Promise<Answer>;
  /** The certificate that `x-service-proof` of an answer names. */
  certificateOf: (answer: Pick<Answer, 'headers'>) => Promise<Certificate>;
  /** The caller's whole chain, in order; up to 500 certificates. */
  listCertificates: () => Promise<Certificate[]>;
};

/** The path that most tests call. */
export const CHAT = '/v1/chat/completions';
/** The path of the other dialect. */
export const MESSAGES = '/v1/messages';

/** A body that every gateway accepts. */
export const PING = { model: 'gpt-test', messages: [{ role: 'user', content: 'ping' }] };
/** The same in the messages dialect, for a model whose provider speaks it. */
export const MESSAGE_PING = { ...PING, model: 'claude-test', max_tokens: 64 };

/** A client of the public API of a system. */
export const createHttpClient = ({ baseUrl, apiKey }: Caller): HttpClient => {
  const open = (path: string, sending: Sending = {}): Promise<Response> => {
    const { body, method = body === undefined ? 'GET' : 'POST', signal } = sending;
    const credentials = sending.headers ?? { authorization: `Bearer ${apiKey}` };
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const headers = { ...type, ...credentials };
    return fetch(`${baseUrl}${path}`, { method, headers, body: toBody(body), signal });
  };
  const send = async (path: string, sending?: Sending): Promise<Answer> =>
    readAnswer(await open(path, sending));
  return {
    open,
    send,
    complete: (body, sending) => send(CHAT, { ...sending, body }),
    message: (body, sending) => send(MESSAGES, { ...sending, body }),
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

/** Reads an answer to its end. */
export const readAnswer = async (response: Response): Promise<Answer> => {
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = bytes.toString();
  return { status: response.status, headers: response.headers, bytes, text, json: parse(text) };
};

const toBody = (body: Sending['body']): string | Uint8Array | undefined => {
  const isExact = typeof body === 'string' || ArrayBuffer.isView(body) || body === undefined;
  return isExact ? (body as string | Uint8Array | undefined) : JSON.stringify(body);
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // A stream, or nothing: tests look at `text` then.
  }
};
