/**
 * Why a call to a user-given URL failed; a closed set, safe to store and to show. `connect` covers
 * every break of the connection, also behind the handshake and by an answer that is not HTTP.
 */
export type OutboundFailure =
  | 'blocked_address'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'http_status'
  | 'response_too_large';

/** The rule that a refused URL breaks; `address` is an IP literal or an answer of DNS. */
export type TargetRule =
  | 'length'
  | 'characters'
  | 'unparsable'
  | 'scheme'
  | 'userinfo'
  | 'fragment'
  | 'port'
  | 'name'
  | 'address';

/**
 * A target that is refused (`blocked_address`, with the rule) or cannot be reached. The message is
 * fit for the person who gave the URL: it holds no address that was found.
 */
export class OutboundError extends Error {
  readonly failure: OutboundFailure;
  readonly rule: TargetRule | undefined;

  constructor(
    failure: OutboundFailure,
    message: string,
    options: { cause?: unknown; rule?: TargetRule } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'OutboundError';
    this.failure = failure;
    this.rule = options.rule;
  }
}

/** Refuses a target for breaking `rule`. */
export const blockedTarget = (rule: TargetRule, message: string): OutboundError =>
  new OutboundError('blocked_address', message, { rule });
