import { fromUtf8 } from '../bytes.ts';
import { ProofError } from '../errors.ts';
import { parseNoteKey } from '../tlog/note.ts';
import { formatPolicy, parsePolicy } from '../tlog/policy.ts';
import type { Policy } from '../tlog/policy.ts';
import { BUNDLE_CHECKS, checkBundle } from '../tlog/verify-bundle.ts';
import type { BundleCheck, BundleChecks, VerifiedBundle } from '../tlog/verify-bundle.ts';
import type { CommandIo, CommandOptions, ExitCode } from './command-io.ts';
import { UsageError } from './command-io.ts';
import {
  checkContent,
  checksToJson,
  exitCodeOf,
  printChecks,
  verdictToJson,
} from './named-check.ts';
import type { NamedCheck } from './named-check.ts';
import { readFile } from './read-source.ts';

/** Options that say whom to trust about a bundle, and how soon it must have been witnessed. */
export const TRUST_OPTIONS = ['policy', 'log-key', 'witness-key', 'quorum', 'within'];

export const NOT_WITNESSED =
  'not witnessed: the policy needs no witness, so the operator of the log could show ' +
  'others another history';

/** Verifies a bundle and prints the outcome like `witan verify` of a certificate. */
export async function runVerifyBundle(
  options: CommandOptions,
  source: Uint8Array,
  io: CommandIo,
): Promise<ExitCode> {
  if (options.valueOf('public-key') !== undefined) {
    throw new UsageError('A bundle names its own keys, which the log has: give --policy only.');
  }
  const policy = await readPolicy(options, io);
  const result = checkBundle(source, policy, { withinMs: readWithin(options) });
  const named = [...toNamed(result), ...(await checkContent(result.payload, options, io))];
  if (options.json) io.stdout(JSON.stringify(toJson(result, named)));
  else printChecks(io, result.payload, named);
  return exitCodeOf(named);
}

/**
 * Reads the policy of `--policy`, or makes the one that the keys of the other options describe.
 * Throws {@link UsageError}.
 */
export async function readPolicy(options: CommandOptions, io: CommandIo): Promise<Policy> {
  const file = options.valueOf('policy');
  const [logs, witnesses] = [options.valuesOf('log-key'), options.valuesOf('witness-key')];
  const quorum = options.valueOf('quorum');
  const hasKeys = logs.length + witnesses.length > 0 || quorum !== undefined;
  if ((file === undefined) !== hasKeys || (hasKeys && logs.length === 0)) {
    throw new UsageError(
      'Say which log and witnesses to trust: either --policy FILE, or --log-key VKEY with ' +
        '--witness-key VKEY and --quorum N.',
    );
  }
  if (quorum !== undefined && !(/^\d{1,3}$/.test(quorum) && Number(quorum) <= witnesses.length)) {
    throw new UsageError('--quorum takes a number, at most that of the witness keys.');
  }
  try {
    if (file !== undefined) return parsePolicy(decode(await readFile(io, file)));
    const threshold = quorum === undefined ? witnesses.length : Number(quorum);
    const keys = { logs: logs.map(parseNoteKey), witnesses: witnesses.map(parseNoteKey) };
    return parsePolicy(formatPolicy({ ...keys, threshold }));
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    throw new UsageError(`The policy cannot be used: ${error.detail}.`, { cause: error });
  }
}

/**
 * Returns the text of a policy, in which bytes above 0x7F are opaque (C2SP tlog-policy). If it is
 * not UTF-8, each of them becomes a lone surrogate, which no key name may have.
 */
function decode(bytes: Uint8Array): string {
  return (
    fromUtf8(bytes) ??
    Array.from(bytes, (byte) => String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte)).join('')
  );
}

const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

export const readWithin = (options: CommandOptions): number | undefined =>
  readDuration(options, 'within');

/** Returns the milliseconds of an option like `10m`. Throws {@link UsageError}. */
export function readDuration(options: CommandOptions, name: string): number | undefined {
  const text = options.valueOf(name);
  if (text === undefined) return undefined;
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count === undefined) {
    throw new UsageError(`--${name} takes a time like 30s, 10m, 24h or 7d.`);
  }
  return Number(count) * UNITS_MS[unit]!;
}

function toNamed({ checks, verified }: BundleChecks): NamedCheck[] {
  const found = verified && foundBy(verified);
  return BUNDLE_CHECKS.map((name) => ({
    name,
    outcome: checks.find((check) => check.name === name)?.outcome,
    ...(found?.[name] === undefined ? {} : { found: found[name] }),
    isNone: found?.[name] === NOT_WITNESSED,
  }));
}

function foundBy(bundle: VerifiedBundle): Partial<Record<BundleCheck, string>> {
  const { payload, witnesses, witnessedAt } = bundle;
  return {
    certificate: `key ${bundle.keyId}`,
    'known log': bundle.log,
    tree: `number ${payload.chainIndex} of the ${bundle.treeSize} of ${bundle.workspaceId}`,
    epoch: `number ${bundle.epoch} of the ${bundle.logSize} of the log`,
    witnesses: witnessedAt === undefined ? NOT_WITNESSED : witnesses.map(toText).join(', '),
    time: witnessedAt === undefined ? NOT_WITNESSED : `existed at ${witnessedAt}`,
  };
}

const toText = ({ name, time }: VerifiedBundle['witnesses'][number]): string =>
  `${name} at ${time}`;

function toJson({ payload, verified }: BundleChecks, named: readonly NamedCheck[]): object {
  const { payload: _payload, keys: _keys, ...members } = verified ?? { payload: undefined };
  return {
    ...verdictToJson(named),
    certificateId: payload?.id,
    ...members,
    witnessed: verified?.witnessedAt !== undefined,
    ...checksToJson(named),
  };
}
