export const PROOF_REASONS = {
  not_json: 'the text is not JSON, or not UTF-8, or longer than the limit',
  duplicate_key: 'an object names the same member twice, so two readers may see two values',
  too_deep: 'the value is nested deeper than the limit',
  not_canonical: 'the value has no canonical JSON text',
  schema: 'a member is missing, unknown or not of the form that the format prescribes',
  public_key: 'the public key, or the list of keys, cannot be used',
  no_key: 'none of the keys was in force when the certificate was issued',
  payload_hash: 'the payload is not the one that was hashed',
  signature: 'no key in force made this signature over payload_hash',
  request: 'the request body is not the one that the certificate commits to',
  response: 'the answer is not the one that the certificate commits to',
  received_part: 'the client left before the end, and a part of an answer cannot be compared',
  finish_reason: 'the answer ended for another reason than the certificate says',
  usage: 'the answer counts other tokens than the certificate',
  model: 'the answer names another model than the certificate',
  stream_end: 'the saved stream is not there to its end, or goes on behind it',
  answer: 'the saved answer is of no known dialect, or of two, or contradicts itself',
  frame_too_large: 'a server-sent event is longer than the limit',
  chain_header: 'the export does not begin with a usable chain header',
  genesis: 'the chain is not bound to its issuer and workspace',
  issuer: 'a certificate names another issuer than its chain',
  duplicate_id: 'two certificates of the chain have the same id',
  hole: 'a certificate is missing from the chain',
  fork: 'a position of the chain is taken twice',
  prev_hash: 'a certificate does not name its predecessor',
  issued_at: 'a certificate is older than its predecessor',
  truncated: 'the chain ends before the certificate that it must reach',
  policy: 'the policy, or a key that it names, cannot be used',
  note: 'a proof, checkpoint or signature is not written as its format prescribes',
  unknown_log: 'the policy does not name the log',
  tree: 'the tree of the workspace does not have the certificate at its index',
  tree_head: 'the log did not sign the head of the tree of this workspace',
  epoch: 'the log has no such epoch with this tree head and these keys',
  checkpoint: 'the log did not sign the checkpoint, or one of its cosignatures is invalid',
  quorum: 'too few witnesses of the policy have cosigned the checkpoint',
  issued_later: 'the certificate names a time after the one at which it was witnessed',
  witnessed_late: 'the certificate was not witnessed within the required time',
} as const;

export type ProofReason = keyof typeof PROOF_REASONS;

/**
 * The only error that the exported functions of this library throw on purpose. `detail` describes
 * what is invalid and where. `index` is set only for chains: the position, counted from 0, of the
 * first certificate that is invalid or missing.
 */
export class ProofError extends Error {
  readonly reason: ProofReason;
  readonly detail: string;
  readonly index: number | undefined;

  constructor(
    reason: ProofReason,
    detail: string,
    options: { index?: number; cause?: unknown } = {},
  ) {
    const suffix = options.index === undefined ? '' : ` at index ${options.index}`;
    super(`${reason}${suffix}: ${detail}`, { cause: options.cause });
    this.name = 'ProofError';
    this.reason = reason;
    this.detail = detail;
    this.index = options.index;
  }
}
