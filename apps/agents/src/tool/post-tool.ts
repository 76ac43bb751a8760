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
  headers: Readonly<Record<string, string>>;
  body: string;
  signal: AbortSignal;
}) => Promise<ToolResponse>;
