import { isTooDeep, parseExactly } from '@witan/dialects';

type JsonObject = Readonly<Record<string, unknown>>;

export type RpcResponse = { result: JsonObject } | { error: { code: number; data?: unknown } };

const DEPTH_MAX = 64;
const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Returns the JSON-RPC response with this id in a body, which is JSON or a transcript of
 * server-sent events; undefined if there is none. Numbers are preserved exactly.
 */
export const readRpcResponse = (body: Uint8Array, id: number): RpcResponse | undefined => {
  let text: string;
  try {
    text = UTF_8.decode(body);
  } catch {
    // A body that is not UTF-8 is no answer of an MCP server.
    return undefined;
  }
  const messages = text.trimStart().startsWith('{') ? [text] : dataOf(text);
  for (const message of messages) {
    const response = toResponse(parse(message), id);
    if (response) return response;
  }
  return undefined;
};

/** Returns the data of the events of a transcript. */
const dataOf = (transcript: string): string[] =>
  transcript.split(/\r?\n\r?\n|\r\r/).map((event) =>
    event
      .split(/\r\n|\r|\n/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice('data:'.length).replace(/^ /, ''))
      .join('\n'),
  );

const parse = (text: string): unknown => {
  if (isTooDeep(text, DEPTH_MAX)) return undefined;
  try {
    return parseExactly(text);
  } catch {
    // An event that is not JSON is no message of the protocol.
    return undefined;
  }
};

const toResponse = (value: unknown, id: number): RpcResponse | undefined => {
  if (!isObject(value) || value.jsonrpc !== '2.0') return undefined;
  // An error response may have no id, if the server could not read that of the request.
  const { error, result } = value;
  if (isObject(error) && typeof error.code === 'number') {
    return { error: { code: error.code, data: error.data } };
  }
  return value.id === id && isObject(result) ? { result } : undefined;
};

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
