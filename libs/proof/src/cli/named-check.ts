import { PROOF_REASONS } from '../errors.ts';
import type { CertificatePayload } from '../certificate.ts';
import { outcomeOf } from '../verify-certificate.ts';
import type { CheckOutcome } from '../verify-certificate.ts';
import { verifyRequest, verifyResponse } from '../verify-content.ts';
import type { VerifiedResponse } from '../verify-content.ts';
import type { CommandIo, CommandOptions, ExitCode } from './command-io.ts';
import { printable } from './command-io.ts';
import { readSource } from './read-source.ts';

/** A check and the name that is printed for it; `outcome` is undefined if it could not be made. */
export type NamedCheck = {
  name: string;
  outcome: CheckOutcome | undefined;
  /** What is printed behind the outcome `ok`. */
  found?: string;
  /** True if nothing had to be checked: then `none` is printed instead of `ok`. */
  isNone?: boolean;
  response?: VerifiedResponse;
};

/** Makes the checks of `--request` and `--response` that are asked for. */
export async function checkContent(
  payload: CertificatePayload | undefined,
  options: CommandOptions,
  io: CommandIo,
): Promise<NamedCheck[]> {
  const checks: NamedCheck[] = [];
  const [request, response] = [options.valueOf('request'), options.valueOf('response')];
  if (request !== undefined) {
    const bytes = await readSource(io, request);
    const outcome = payload && outcomeOf(() => verifyRequest(payload, bytes));
    checks.push({ name: 'request', outcome });
  }
  if (response !== undefined) {
    const bytes = await readSource(io, response);
    const check: NamedCheck = { name: 'response', outcome: undefined };
    check.outcome =
      payload &&
      outcomeOf(() => {
        const verified = verifyResponse(payload, bytes, { model: options.valueOf('model') });
        Object.assign(check, { response: verified, found: verified.compared.join(', ') });
      });
    checks.push(check);
  }
  return checks;
}

/**
 * Prints the certificate, a line for each check, and `valid`, `INVALID: <check>: <why>` or, for a
 * part of an aborted answer, `UNDECIDED: <check>: <why>`.
 */
export function printChecks(
  io: CommandIo,
  payload: CertificatePayload | undefined,
  checks: readonly NamedCheck[],
): void {
  if (payload !== undefined) io.stdout(summaryOf(payload));
  for (const check of checks) for (const line of linesOf(check)) io.stdout(line);
  io.stdout(verdictOf(checks));
}

function summaryOf(payload: CertificatePayload): string {
  const { id, issuer, issuedAt, request, egress, response } = payload;
  const models = `asked for ${request.model}, served by ${egress.model} of ${egress.provider}`;
  return printable(
    `${id} of ${issuer}, ${issuedAt}: ${models}, ended with ${response.finishReason}`,
  );
}

function linesOf({ name, outcome, found, isNone, response }: NamedCheck): string[] {
  const label = name.padEnd(14);
  if (outcome === undefined) return [`${label}not checked`];
  if (!outcome.ok) {
    const word = isUndecided(outcome) ? 'undecided ' : 'FAILED  ';
    return [`${label}${word}${PROOF_REASONS[outcome.error.reason]}`];
  }
  const word = isNone ? 'none' : 'ok';
  const line = printable(`${label}${word.padEnd(8)}${found ?? ''}`.trimEnd());
  if (!response) return [line];
  const { notCovered } = response;
  const text = notCovered.length === 0 ? 'nothing else in the answer' : notCovered.join(', ');
  return [line, printable(`${'not covered'.padEnd(14)}        ${text}`)];
}

function verdictOf(checks: readonly NamedCheck[]): string {
  const word = exitCodeOf(checks) === UNDECIDED ? 'UNDECIDED' : 'INVALID';
  for (const { name, outcome } of checks) {
    if (outcome !== undefined && !outcome.ok) {
      return printable(`${word}: ${name}: ${outcome.error.detail}`);
    }
  }
  return 'valid';
}

const UNDECIDED: ExitCode = 3;

/** Returns whether a part of an answer was given, which is neither proven nor refuted. */
function isUndecided(outcome: CheckOutcome | undefined): boolean {
  return outcome?.ok === false && outcome.error.reason === 'received_part';
}

/** Returns the exit code for the outcome of the checks. */
export function exitCodeOf(checks: readonly NamedCheck[]): ExitCode {
  const others = checks.filter(({ outcome }) => outcome?.ok !== true);
  if (others.length === 0) return 0;
  return others.every(({ outcome }) => isUndecided(outcome)) ? UNDECIDED : 1;
}

/** Returns the members of the verdict: `undecided` only if it is. */
export function verdictToJson(checks: readonly NamedCheck[]): object {
  const exitCode = exitCodeOf(checks);
  return { valid: exitCode === 0, ...(exitCode === UNDECIDED && { undecided: true }) };
}

/** Returns the members `checks`, one for each in camel case, and those of the compared answer. */
export function checksToJson(checks: readonly NamedCheck[]): object {
  const toEntry = ({ name, outcome }: NamedCheck) => {
    const key = name.replaceAll(/ (.)/g, (_match, letter: string) => letter.toUpperCase());
    if (outcome === undefined) return [key, { ok: false, detail: 'not checked' }] as const;
    if (outcome.ok) return [key, { ok: true }] as const;
    const { reason, detail } = outcome.error;
    return [key, { ok: false, reason, detail }] as const;
  };
  const response = checks.find((check) => check.response)?.response;
  return { checks: Object.fromEntries(checks.map(toEntry)), ...response };
}
