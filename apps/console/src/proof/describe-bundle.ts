import { BUNDLE_CHECKS, checkBundle, parsePolicy, ProofError } from '@witan/proof';
import type { BundleCheck, VerifiedBundle } from '@witan/proof';

/** A line of the result: a check, its outcome, and what it found. */
export type ResultRow = { name: string; outcome: 'ok' | 'failed' | 'not checked'; found: string };

/** Checks that have nothing to verify if the policy requires no witness. */
const OF_WITNESSES: readonly BundleCheck[] = ['witnesses', 'time'];

/** Valid and witnessed, valid but not witnessed, or invalid. */
export type Tone = 'good' | 'warn' | 'bad';

export type BundleResult = { tone: Tone; verdict: string; rows: readonly ResultRow[] };

export const NOT_WITNESSED =
  'Not witnessed: the policy needs no witness, so the operator could show others another history.';

/** Verifies a bundle under a policy and describes the outcome of each check. */
export const describeBundle = (bundle: string, policyText: string): BundleResult => {
  try {
    const { checks, verified } = checkBundle(bundle, parsePolicy(policyText));
    const found = verified ? toFound(verified) : {};
    const isUnwitnessed = verified !== undefined && verified.witnessedAt === undefined;
    const rows = BUNDLE_CHECKS.map((name): ResultRow => {
      const outcome = checks.find((check) => check.name === name)?.outcome;
      if (outcome === undefined || (isUnwitnessed && OF_WITNESSES.includes(name))) {
        return { name, outcome: 'not checked', found: found[name] ?? '' };
      }
      if (!outcome.ok) return { name, outcome: 'failed', found: outcome.error.detail };
      return { name, outcome: 'ok', found: found[name] ?? '' };
    });
    return { ...judge(verified), rows };
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    return { tone: 'bad', verdict: `The policy cannot be used: ${error.detail}`, rows: [] };
  }
};

const judge = (verified: VerifiedBundle | undefined): Omit<BundleResult, 'rows'> => {
  if (verified === undefined) return { tone: 'bad', verdict: 'Invalid' };
  const { payload, witnessedAt } = verified;
  return witnessedAt === undefined
    ? { tone: 'warn', verdict: `Valid, but not witnessed: certificate ${payload.id}` }
    : { tone: 'good', verdict: `Valid: certificate ${payload.id} existed at ${witnessedAt}` };
};

const toFound = (bundle: VerifiedBundle): Partial<Record<BundleCheck, string>> => {
  const { payload, witnesses, witnessedAt } = bundle;
  return {
    certificate: `${payload.id} of ${payload.issuer}, issued ${payload.issuedAt}`,
    'known log': bundle.log,
    tree: `number ${payload.chainIndex} of the ${bundle.treeSize} of ${bundle.workspaceId}`,
    epoch: `number ${bundle.epoch} of the ${bundle.logSize} of the log`,
    witnesses:
      witnessedAt === undefined
        ? NOT_WITNESSED
        : witnesses.map(({ name, time }) => `${name} at ${time}`).join(', '),
    time: witnessedAt ?? '',
  };
};
