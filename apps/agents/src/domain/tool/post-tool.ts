/** Why a tool returned no result; a closed set. */
export type ToolFailure =
  | 'blocked_address'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'http_status'
  | 'response_too_large';

/** A 2xx response, or the failure; `status` is null without a response. */
export type ToolAnswer =
  | { status: number; body: Uint8Array }
  | { status: number | null; failure: ToolFailure };

/**
 * Posts to a URL given by a user. Failures of the tool are results; rejects only with the signal's
 * reason, and for bugs.
 */
export type PostTool = (call: {
  url: string;
  toolId: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  signal: AbortSignal;
}) => Promise<ToolAnswer>;
