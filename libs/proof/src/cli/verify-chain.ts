import { PROOF_REASONS, ProofError } from '../errors.ts';
import { parseKeyList } from '../keys.ts';
import { isBlank, isChainHeaderLine, verifyChain, verifyChainDocument } from '../verify-chain.ts';
import type { ChainOptions, VerifiedChain } from '../verify-chain.ts';
import type { CommandIo, ExitCode, CommandOptions } from './command-io.ts';
import { parseOptions, UsageError, withUsage, printable } from './command-io.ts';
import {
  MAX_SOURCE_BYTES,
  openSource,
  readLines,
  readPublicKeys,
  readSource,
} from './read-source.ts';
import { checkBundle } from '../tlog/verify-bundle.ts';
import type { VerifiedBundle } from '../tlog/verify-bundle.ts';
import { NOT_WITNESSED, readPolicy, readWithin, TRUST_OPTIONS } from './verify-bundle.ts';

export const VERIFY_CHAIN_USAGE = `Usage: witan verify-chain FILE|URL [options]

Verifies an exported chain, as GET /v1/proofs/export answers it (NDJSON or JSON).

  --public-key FILE|URL  the key to trust, as for witan verify; without it the keys in
                         the export are used, which shows consistency, not origin
  --api-key KEY          the key to send when the chain is fetched from a URL
  --expect-count N       the chain must hold at least N certificates
  --expect-head HASH     the chain must hold the certificate with this payload_hash
  --bundle FILE          a bundle of one of its certificates: the chain must begin with
                         exactly those that the log had then; later ones are not covered.
                         Needs --policy or --log-key, as for witan verify; without
                         --public-key the keys are those that the log names
  --json                 print one JSON object

Exit code: 0 valid, 1 a check failed, 2 wrong usage.`;

/**
 * Runs `witan verify-chain`: prints what the chain proves and `valid`, or the reason why it is
 * invalid, with the index of the certificate concerned, if any. With `--json` it prints one JSON
 * object. An export in NDJSON is streamed, with two certificates in memory at a time.
 */
export function runVerifyChain(argv: readonly string[], io: CommandIo): Promise<ExitCode> {
  return withUsage(io, VERIFY_CHAIN_USAGE, async () => {
    const own = ['public-key', 'api-key', 'expect-count', 'expect-head', 'bundle'];
    const names = [...own, ...TRUST_OPTIONS];
    const command = parseOptions(argv, names);
    const options = await readChainOptions(command, io);
    const bundle = await readBundle(command, io);
    if (bundle === 'invalid') return 1;
    const isOfLog = bundle !== undefined && options.keys === undefined;
    options.expectedTree = bundle;
    const source = openSource(io, command.file, { apiKey: command.valueOf('api-key') });
    try {
      if (isOfLog) options.keys = parseKeyList(bundle.keys);
      const verified = await verifyExport(readLines(source), options);
      const chain: Chain = isOfLog ? { ...verified, keySource: 'log' } : verified;
      if (command.json) io.stdout(JSON.stringify(toJson(chain, bundle)));
      else print(io, chain, { ...options, bundle });
      return 0;
    } catch (error) {
      if (!(error instanceof ProofError)) throw error;
      printFailure(io, error, command.json);
      return 1;
    }
  });
}

async function readChainOptions(command: CommandOptions, io: CommandIo): Promise<ChainOptions> {
  const count = command.valueOf('expect-count');
  if (count !== undefined && !/^\d{1,15}$/.test(count)) {
    throw new UsageError(`--expect-count takes a whole number, not ${count}.`);
  }
  const head = command.valueOf('expect-head');
  if (head !== undefined && !/^[0-9a-f]{64}$/.test(head)) {
    throw new UsageError('--expect-head takes a payload_hash: 64 lower-case hex digits.');
  }
  const keySource = command.valueOf('public-key');
  return {
    keys: keySource === undefined ? undefined : await readPublicKeys(io, keySource),
    expectedCount: count === undefined ? undefined : Number(count),
    expectedHead: head,
  };
}

async function verifyExport(
  lines: AsyncGenerator<string>,
  options: ChainOptions,
): Promise<VerifiedChain> {
  let first = await lines.next();
  while (first.done !== true && isBlank(first.value)) first = await lines.next();
  const firstLine = first.done === true ? '' : first.value;
  if (isChainHeaderLine(firstLine)) return verifyChain(prepend(firstLine, lines), options);
  let document = firstLine;
  for await (const line of lines) {
    document += `\n${line}`;
    if (document.length > MAX_SOURCE_BYTES) {
      throw new UsageError('A JSON export of this size is too large; export NDJSON instead.');
    }
  }
  return verifyChainDocument(document, options);
}

async function* prepend(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}

/** Verifies the bundle of `--bundle`; prints why it is invalid. */
async function readBundle(
  command: CommandOptions,
  io: CommandIo,
): Promise<VerifiedBundle | 'invalid' | undefined> {
  const file = command.valueOf('bundle');
  if (file === undefined) {
    const given = TRUST_OPTIONS.find((name) => command.valueOf(name) !== undefined);
    if (given !== undefined) throw new UsageError(`--${given} is of use with --bundle only.`);
    return undefined;
  }
  const policy = await readPolicy(command, io);
  const { verified, checks } = checkBundle(await readSource(io, file), policy, {
    withinMs: readWithin(command),
  });
  if (verified) return verified;
  const { outcome } = checks.at(-1)!;
  if (!outcome.ok) printFailure(io, outcome.error, command.json);
  return 'invalid';
}

/** Keys are `log` if the log names them. */
type Chain = Omit<VerifiedChain, 'keySource'> & { keySource: VerifiedChain['keySource'] | 'log' };

/** `covered` is the number of certificates that the log had in the epoch of the bundle. */
function toJson(chain: Chain, bundle: VerifiedBundle | undefined): object {
  if (!bundle) return { valid: true, ...chain };
  const { log, epoch, treeSize, witnessedAt } = bundle;
  const witnessed = { witnessed: witnessedAt !== undefined, witnessedAt };
  return { valid: true, ...chain, log, epoch, covered: treeSize, ...witnessed };
}

type Known = ChainOptions & { bundle?: VerifiedBundle | undefined };

const KEY_SOURCES: Readonly<Record<Chain['keySource'], string>> = {
  given: 'keys: the ones given',
  log: 'keys: the ones that the log names in the epoch of the bundle',
  header:
    'keys: from the export itself, which shows that it is consistent, not who signed it ' +
    '(give --public-key to show that)',
};

function print(io: CommandIo, chain: Chain, { bundle, ...options }: Known): void {
  const { workspaceId, issuer, count, head, keySource } = chain;
  const last = count === 0 ? '' : `, index 0 to ${count - 1}, head ${head}`;
  io.stdout(printable(`chain of ${workspaceId} by ${issuer}: ${count} certificates${last}`));
  io.stdout(KEY_SOURCES[keySource]);
  if (bundle !== undefined) {
    const { treeSize, log, epoch, witnessedAt } = bundle;
    const time = witnessedAt === undefined ? NOT_WITNESSED : `witnessed at ${witnessedAt}`;
    io.stdout(printable(`end: the ${treeSize} of epoch ${epoch} of ${log} are there; ${time}`));
    const later = count - treeSize;
    if (later > 0) io.stdout(`later certificates, which the bundle does not cover: ${later}`);
  } else if (options.expectedCount === undefined && options.expectedHead === undefined) {
    io.stdout(
      'end: unknown; certificates cut off behind the last one cannot be noticed without ' +
        '--expect-count, --expect-head or --bundle',
    );
  }
  io.stdout('valid');
}

function printFailure(io: CommandIo, { reason, detail, index }: ProofError, json: boolean): void {
  if (json) {
    io.stdout(JSON.stringify({ valid: false, reason, detail, index }));
    return;
  }
  const suffix = index === undefined ? '' : ` at index ${index}`;
  io.stdout(`FAILED${suffix}: ${PROOF_REASONS[reason]}`);
  io.stdout(printable(`INVALID: ${reason}${suffix}: ${detail}`));
}
