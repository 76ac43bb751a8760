import { isTooDeep, parseExactly } from '@witan/dialects';
import { JSON_DEPTH_MAX } from './check-tool.ts';
import { createHmac } from 'node:crypto';

export type ToolFailure =
  | 'blocked_address'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'http_status'
  | 'response_too_large';

export type ToolResponse =
  | { status: number; body: Uint8Array }
  | { status: number | null; failure: ToolFailure };

/**
 * Posts to the URL of a tool, which a user has registered. Failures of the tool are returned as
 * results; rejects only with the signal's reason.
 */
export type PostTool = (call: {
  url: string;
  toolId: string;
  /** Slug of the agent that calls the tool; undefined in a test of the tool. */
  agentName: string | undefined;
  headers: Readonly<Record<string, string>>;
  body: string;
  signal: AbortSignal;
}) => Promise<ToolResponse>;

/**
 * Returns a description of a failure for the model, which may repeat it to any user. It contains no
 * addresses, and of an error response only the status: the body is meant for the tool's operator,
 * and with it any reachable URL could be read through a tool.
 */
export const describeFailure = (failure: ToolFailure, status: number | null): string => {
  if (failure !== 'http_status') return DESCRIPTIONS[failure];
  const hint = status !== null && status < 400 ? ', a redirect, which is not followed' : '';
  return `The tool answered with HTTP status ${status}${hint}.`;
};

const DESCRIPTIONS: Readonly<Record<Exclude<ToolFailure, 'http_status'>, string>> = {
  blocked_address: 'The URL of the tool may not be called.',
  dns: 'The host of the tool was not found.',
  connect: 'The tool could not be reached, or broke off before it had answered.',
  tls: 'There is no secure connection to the tool.',
  timeout: 'The tool did not answer in time.',
  response_too_large: 'The tool answered with more than can be taken.',
};

/**
 * Returns the JSON of a tool's response as compact text, regardless of content type; undefined if
 * it is not valid JSON in UTF-8 or nested too deeply. Numbers are preserved exactly.
 */
export const readResult = (body: Uint8Array): string | undefined => {
  try {
    const text = UTF_8.decode(body);
    // Values nested deeper could overflow the stack when they are serialized.
    return isTooDeep(text, JSON_DEPTH_MAX) ? undefined : JSON.stringify(parseExactly(text));
  } catch {
    return undefined;
  }
};

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

type SignedCall = { body: string; headers: Readonly<Record<string, string>> };

/**
 * Returns the body of a tool call and its headers with an HMAC-SHA256 signature of the body, whose
 * key is the secret's text.
 */
export const signCall = (tool: string, args: object, secret: string): SignedCall => {
  const body = JSON.stringify({ tool, arguments: args });
  const signature = createHmac('sha256', secret).update(body, 'utf8').digest('hex');
  return {
    body,
    headers: {
      'Content-Type': 'application/json',
      'X-Service-Tool': tool,
      'X-Service-Signature': `sha256=${signature}`,
      'User-Agent': 'Service-Tools/1.0',
    },
  };
};
