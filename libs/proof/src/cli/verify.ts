import { PROOF_REASONS } from '../errors.ts';
import type { CertificatePayload } from '../certificate.ts';
import { checkCertificate, outcomeOf } from '../verify-certificate.ts';
import type { CertificateChecks, CheckOutcome } from '../verify-certificate.ts';
import { verifyRequest, verifyResponse } from '../verify-content.ts';
import type { VerifiedResponse } from '../verify-content.ts';
import type { CommandIo, ExitCode } from './command-io.ts';
import { parseOptions, UsageError, withUsage, printable } from './command-io.ts';
import { readPublicKeys, readSource } from './read-source.ts';

export const VERIFY_USAGE = `Usage: witan verify FILE --public-key FILE|URL [options]

Verifies one certificate. FILE holds it as GET /v1/proofs/{id} answers it.

  --public-key FILE|URL  the answer of GET /v1/gateway/public-key, a PEM file, or
                         the 32 bytes of the key in base64
  --request FILE         also check that FILE is the request body that was sent
  --response FILE        also check that FILE is the answer that was received, in
                         the chat-completions, messages or responses dialect, of a
                         native endpoint, or embeddings: the JSON body, or the saved
                         event stream
  --model NAME           the model that FILE of --response names, when the provider
                         answers under another name than it was asked for
  --json                 print one JSON object

Exit code: 0 valid, 1 a check failed, 2 wrong usage.`;

/**
 * A check and the name that is printed for it; `outcome` is undefined if the check could not be
 * made.
 */
type NamedCheck = {
  name: string;
  outcome: CheckOutcome | undefined;
  response?: VerifiedResponse;
};

/**
 * Runs `witan verify`: prints the outcome of each check and then `valid` or `INVALID: <check>:
 * <why>`, or with `--json` one JSON object. Uses the network only for arguments that are URLs.
 */
export function runVerify(argv: readonly string[], io: CommandIo): Promise<ExitCode> {
  return withUsage(io, VERIFY_USAGE, async () => {
    const options = parseOptions(argv, ['public-key', 'request', 'response', 'model']);
    const keySource = options.valueOf('public-key');
    if (keySource === undefined) {
      throw new UsageError(
        'Say which public key to trust: --public-key https://<gateway>/v1/gateway/public-key, ' +
          'or a file with its answer or with the key as PEM.',
      );
    }
    const keys = await readPublicKeys(io, keySource);
    const checks = checkCertificate(await readSource(io, options.file), keys);
    const namedChecks: NamedCheck[] = [
      { name: 'schema', outcome: checks.schema },
      { name: 'payload hash', outcome: checks.payloadHash },
      { name: 'signature', outcome: checks.signature },
    ];
    const read = async (part: 'request' | 'response') => {
      const file = options.valueOf(part);
      return file === undefined ? undefined : await readSource(io, file);
    };
    const request = await read('request');
    if (request) namedChecks.push(checkRequest(checks.payload, request));
    const response = await read('response');
    if (response)
      namedChecks.push(checkResponse(checks.payload, response, options.valueOf('model')));
    if (options.json) io.stdout(JSON.stringify(toJson(checks, namedChecks)));
    else print(io, checks, namedChecks);
    return isValid(namedChecks) ? 0 : 1;
  });
}

function checkRequest(payload: CertificatePayload | undefined, bytes: Uint8Array): NamedCheck {
  const outcome = payload && outcomeOf(() => verifyRequest(payload, bytes));
  return { name: 'request', outcome };
}

function checkResponse(
  payload: CertificatePayload | undefined,
  bytes: Uint8Array,
  model: string | undefined,
): NamedCheck {
  const check: NamedCheck = { name: 'response', outcome: undefined };
  if (payload === undefined) return check;
  check.outcome = outcomeOf(() => {
    check.response = verifyResponse(payload, bytes, { model });
  });
  return check;
}

function print(io: CommandIo, checks: CertificateChecks, namedChecks: readonly NamedCheck[]): void {
  if (checks.payload !== undefined) io.stdout(summaryOf(checks.payload));
  for (const check of namedChecks) for (const line of linesOf(check, checks)) io.stdout(line);
  io.stdout(verdictOf(namedChecks));
}

function summaryOf({
  id,
  issuer,
  issuedAt,
  request,
  egress,
  response,
}: CertificatePayload): string {
  const models = `asked for ${request.model}, served by ${egress.model} of ${egress.provider}`;
  return printable(
    `${id} of ${issuer}, ${issuedAt}: ${models}, ended with ${response.finishReason}`,
  );
}

function linesOf({ name, outcome, response }: NamedCheck, { keyId }: CertificateChecks): string[] {
  const label = name.padEnd(14);
  if (outcome === undefined) return [`${label}not checked`];
  if (!outcome.ok) return [`${label}FAILED  ${PROOF_REASONS[outcome.error.reason]}`];
  if (name === 'signature') return [`${label}ok      key ${keyId}`];
  if (!response) return [`${label}ok`];
  const { compared, notCovered } = response;
  const notCoveredText =
    notCovered.length === 0 ? 'nothing else in the answer' : notCovered.join(', ');
  return [
    `${label}ok      ${compared.join(', ')}`,
    printable(`${'not covered'.padEnd(14)}        ${notCoveredText}`),
  ];
}

function verdictOf(namedChecks: readonly NamedCheck[]): string {
  for (const { name, outcome } of namedChecks) {
    if (outcome !== undefined && !outcome.ok) {
      return printable(`INVALID: ${name}: ${outcome.error.detail}`);
    }
  }
  return 'valid';
}

function isValid(namedChecks: readonly NamedCheck[]): boolean {
  return namedChecks.every(({ outcome }) => outcome?.ok === true);
}

function toJson(checks: CertificateChecks, namedChecks: readonly NamedCheck[]): unknown {
  const response = namedChecks.find((check) => check.response)?.response;
  const toEntry = ({ name, outcome }: NamedCheck) => {
    const key = name === 'payload hash' ? 'payloadHash' : name;
    if (outcome === undefined) return [key, { ok: false, detail: 'not checked' }] as const;
    if (outcome.ok) return [key, { ok: true }] as const;
    return [
      key,
      { ok: false, reason: outcome.error.reason, detail: outcome.error.detail },
    ] as const;
  };
  return {
    valid: isValid(namedChecks),
    certificateId: checks.payload?.id,
    keyId: checks.keyId,
    checks: Object.fromEntries(namedChecks.map(toEntry)),
    ...response,
  };
}
