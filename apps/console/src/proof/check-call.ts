import {
  checkCertificate,
  genesisHash,
  parseCertificate,
  parsePublicKeys,
  ProofError,
  verifyCertificate,
  verifyLink,
  verifyRequest,
  verifyResponse,
} from '@witan/proof';
import type { CertificatePayload, CheckOutcome, PublicKeys } from '@witan/proof';

/** What is checked: texts as the server sent them, so that nothing is repaired by parsing. */
export type CallEvidence = {
  certificate: string;
  /** The response of `/v1/gateway/public-key`. */
  publicKeys: string;
  workspaceId: string;
  /** The certificate before this one; null for the first one of the chain. */
  previous: string | null;
  request?: string;
  response?: string;
};

export type CheckName = 'form' | 'hash' | 'signature' | 'chain' | 'request' | 'response';

/** The result of one check; `detail` says what was found, or why it was not made. */
export type CallCheck = { name: CheckName; state: 'passed' | 'failed' | 'skipped'; detail: string };

const NOT_MADE = 'Not made, because a check before it failed.';

/**
 * Makes all checks of a certificate, and of the bodies that are given, without a network request.
 * Never throws: evidence that cannot be read fails the check that needs it.
 */
export const checkCall = (evidence: CallEvidence): CallCheck[] => {
  const keys = readKeys(evidence.publicKeys);
  if (keys instanceof ProofError) return [failed('signature', keys)];
  const checks = checkCertificate(evidence.certificate, keys);
  const { payload } = checks;
  const isSound = [checks.schema, checks.payloadHash, checks.signature].every((one) => one?.ok);
  const own: CallCheck[] = [
    toCheck('form', checks.schema, 'All members are present and well-formed; none is unknown.'),
    toCheck('hash', checks.payloadHash, 'The content has the hash that was signed.'),
    toCheck('signature', checks.signature, `Signed with the key ${checks.keyId ?? ''}.`),
  ];
  if (payload === undefined) return own;
  return [
    ...own,
    isSound ? checkLink(evidence, keys) : skipped('chain', NOT_MADE),
    checkBody('request', evidence.request, (body) => {
      verifyRequest(payload, body);
      return 'The certificate commits to exactly this request body.';
    }),
    checkBody('response', evidence.response, (body) => describeResponse(payload, body)),
  ];
};

const readKeys = (text: string): PublicKeys | ProofError => {
  try {
    return parsePublicKeys(text);
  } catch (error) {
    if (error instanceof ProofError) return error;
    throw error;
  }
};

const toCheck = (name: CheckName, outcome: CheckOutcome | undefined, detail: string): CallCheck => {
  if (outcome === undefined) return skipped(name, NOT_MADE);
  return outcome.ok ? { name, state: 'passed', detail } : failed(name, outcome.error);
};

const failed = (name: CheckName, { detail }: ProofError): CallCheck => ({
  name,
  state: 'failed',
  detail,
});

const skipped = (name: CheckName, detail: string): CallCheck => ({
  name,
  state: 'skipped',
  detail,
});

/** Makes a check that throws ProofError if it fails. */
const attempt = (name: CheckName, run: () => string): CallCheck => {
  try {
    return { name, state: 'passed', detail: run() };
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    // A part of an aborted answer is neither proven nor refuted.
    return error.reason === 'received_part' ? skipped(name, error.detail) : failed(name, error);
  }
};

const checkLink = ({ certificate, previous, workspaceId }: CallEvidence, keys: PublicKeys) =>
  attempt('chain', () => {
    const own = parseCertificate(certificate);
    const { issuer, chainIndex } = own.payload;
    const chain = { issuer, genesis: genesisHash(issuer, workspaceId) };
    if (previous === null) {
      verifyLink(undefined, own, chain);
      return 'The first of the chain, which is bound to this workspace.';
    }
    verifyCertificate(previous, keys);
    verifyLink(parseCertificate(previous), own, chain);
    return `Number ${chainIndex} follows number ${chainIndex - 1}, which is valid, too.`;
  });

const checkBody = (
  name: 'request' | 'response',
  body: string | undefined,
  run: (body: string) => string,
): CallCheck =>
  body === undefined
    ? skipped(name, `Paste or drop the ${name} body to check it.`)
    : attempt(name, () => run(body));

const describeResponse = (payload: CertificatePayload, body: string): string => {
  const { compared, notCovered } = verifyResponse(payload, new TextEncoder().encode(body));
  const rest = notCovered.length === 0 ? '' : ` Not covered: ${notCovered.join(', ')}.`;
  return `The certificate commits to this answer. Compared: ${compared.join(', ')}.${rest}`;
};
