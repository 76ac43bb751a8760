/** Why a tool did not answer with a result; a closed set. */
export type ToolFailure =
  | 'blocked_address'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'http_status'
  | 'response_too_large';

/** A 2xx answer, or why there is none; `status` is null when none came. */
export type ToolAnswer =
  | { status: number; body: Uint8Array }
  | { status: number | null; failure: ToolFailure };

/**
 * Posts to a user-given URL. Whatever the tool does is an answer; rejects only with the reason of
 * an aborted signal, and with bugs.
 */
export type PostTool = (call: {
  url: string;
  toolId: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  signal: AbortSignal;
}) => Promise<ToolAnswer>;
