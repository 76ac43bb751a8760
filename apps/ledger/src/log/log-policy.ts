import { createHash } from 'node:crypto';
import { canonicalJson } from '@witan/proof';
import { formatNoteKey, parseNoteKey } from '@witan/proof/tlog/note';
import { formatPolicy, parsePolicy } from '@witan/proof/tlog/policy';
import type { Policy, Quorum } from '@witan/proof/tlog/policy';
import type { LogSigner } from './log-keys.ts';

/** The policy that checkpoints are published under, as it is served. */
export type LogPolicy = {
  text: string;
  policy: Policy;
  /** Differs for another quorum or other witnesses, but not for another log key or a comment. */
  id: string;
};

/**
 * Returns the policy of the log: that of the operator's file, or one without witnesses, which also
 * names the keys in `stored`, that the log had before. Throws if the file does not name each key of
 * the log, because its bundles would not be accepted, or has a quorum without the URL of any
 * witness.
 */
export const createLogPolicy = (
  text: string | undefined,
  signer: LogSigner,
  stored: readonly string[] = [],
): LogPolicy => {
  const logs = [...new Set([...signer.vkeys, ...stored])].map(parseNoteKey);
  const given = text ?? formatPolicy({ logs, witnesses: [], threshold: 0 });
  const policy = parsePolicy(given);
  const named = policy.logs.map(({ key }) => formatNoteKey(key));
  const missing = signer.vkeys.filter((vkey) => !named.includes(vkey));
  if (missing.length > 0) {
    const lines = missing.map((vkey) => `log ${vkey}`);
    throw new Error(`WITAN_LOG_POLICY_FILE lacks lines of WITAN_LOG_KEY_FILE: ${lines.join('; ')}`);
  }
  if (policy.quorum.kind !== 'none' && policy.witnesses.every(({ url }) => url === undefined)) {
    throw new Error('WITAN_LOG_POLICY_FILE needs witnesses, but has the URL of none of them.');
  }
  const id = createHash('sha256')
    .update(canonicalJson(toJson(policy.quorum)))
    .digest('hex');
  return { text: given, policy, id: id.slice(0, 16) };
};

const toJson = (quorum: Quorum): unknown => {
  if (quorum.kind === 'none') return 'none';
  if (quorum.kind === 'witness') return formatNoteKey(quorum.key);
  return [quorum.threshold, ...quorum.members.map(toJson)];
};
