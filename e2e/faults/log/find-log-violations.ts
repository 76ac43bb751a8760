import { parsePolicy } from '@witan/proof';
import { verifyCheckpointText } from '@witan/proof/tlog/verify-bundle';

/** What a run has stored of the log, and what its witnesses have seen. */
export type LogEvidence = {
  policy: string;
  /** Certificates of all workspaces, and those that are in trees. */
  certificates: number;
  leaves: number;
  /** Roots of the log after each epoch, as recomputed from certificates, in base64. */
  roots: readonly string[];
  /** Every checkpoint that was published. */
  checkpoints: readonly { size: number; note: string }[];
  /** The last checkpoint that each witness has cosigned. */
  seen: readonly { name: string; size: number; root: string }[];
};

/**
 * Returns a violation for each certificate that is lost, each published or cosigned size with
 * another root than the log has (which would be a fork), and each checkpoint without a quorum.
 */
export const findLogViolations = (evidence: LogEvidence): string[] => {
  const { certificates, leaves, roots, checkpoints, seen } = evidence;
  const policy = parsePolicy(evidence.policy);
  const violations: string[] = [];
  if (certificates !== leaves) violations.push(`${certificates} certificates, ${leaves} leaves`);
  for (const { size, note } of checkpoints) {
    try {
      const checkpoint = verifyCheckpointText(note, policy);
      const root = Buffer.from(checkpoint.root).toString('base64');
      if (checkpoint.size !== size) violations.push(`checkpoint ${size} is of ${checkpoint.size}`);
      if (root !== roots[size - 1]) violations.push(`fork: published ${size} has another root`);
    } catch (error) {
      violations.push(`checkpoint ${size}: ${String(error)}`);
    }
  }
  for (const { name, size, root } of seen) {
    if (root !== roots[size - 1]) violations.push(`fork: ${name} has seen another root of ${size}`);
  }
  if (checkpoints.at(-1)?.size !== roots.length) violations.push('the last epoch is not published');
  return violations;
};
