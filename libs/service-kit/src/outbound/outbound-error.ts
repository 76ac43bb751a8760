/**
 * Reason why a call to a user-given URL failed; contains nothing secret, so it may be stored and
 * shown. `connect` covers lost connections, also after the handshake, and responses that are not
 * HTTP.
 */
export type OutboundFailure =
  | 'blocked_address'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'http_status'
  | 'response_too_large';

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
 * Thrown if a target is refused (`blocked_address`) or a call to it fails. The message is shown to
 * the user who gave the URL and contains no resolved address.
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

export const blockedTarget = (rule: TargetRule, message: string): OutboundError =>
  new OutboundError('blocked_address', message, { rule });
