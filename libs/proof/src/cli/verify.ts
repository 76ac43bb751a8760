import { isBundle } from '../tlog/bundle.ts';
import { checkCertificate } from '../verify-certificate.ts';
import type { CommandIo, CommandOptions, ExitCode } from './command-io.ts';
import { parseOptions, UsageError, withUsage } from './command-io.ts';
import {
  checkContent,
  checksToJson,
  exitCodeOf,
  printChecks,
  verdictToJson,
} from './named-check.ts';
import type { NamedCheck } from './named-check.ts';
import { readPublicKeys, readSource } from './read-source.ts';
import { runVerifyBundle, TRUST_OPTIONS } from './verify-bundle.ts';

export const VERIFY_USAGE = `Usage: witan verify FILE --public-key FILE|URL [options]
       witan verify BUNDLE --policy FILE [options]

Verifies one certificate. FILE holds it as GET /v1/proofs/{id} answers it, BUNDLE as
GET /v1/proofs/{id}/bundle does, with the proof that it is in the transparency log.

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

For a bundle, which is verified without the network:

  --policy FILE          the logs and witnesses to trust (c2sp.org/tlog-policy)
  --log-key VKEY         instead of a policy: a log to trust; may be repeated
  --witness-key VKEY     and a witness to trust; may be repeated
  --quorum N             and how many of these witnesses must have cosigned; all
                         of them by default
  --within TIME          the witnesses must have cosigned within this time after
                         issuedAt, for example 30s, 10m or 24h

Exit code: 0 valid, 1 a check failed, 2 wrong usage, 3 undecided: the client left
before the end (aborted), and FILE of --response is a part or another text.`;

const OPTIONS = ['public-key', 'request', 'response', 'model', ...TRUST_OPTIONS];

/**
 * Runs `witan verify`: prints the outcome of each check and then `valid` or `INVALID: <check>:
 * <why>`, or with `--json` one JSON object. Uses the network only for arguments that are URLs.
 */
export function runVerify(argv: readonly string[], io: CommandIo): Promise<ExitCode> {
  return withUsage(io, VERIFY_USAGE, async () => {
    const options = parseOptions(argv, OPTIONS);
    const isForBundle = TRUST_OPTIONS.some((name) => options.valueOf(name) !== undefined);
    if (!isForBundle && options.valueOf('public-key') === undefined) {
      throw new UsageError(
        'Say which public key to trust: --public-key https://<gateway>/v1/gateway/public-key, ' +
          'or a file with its answer or with the key as PEM. For a bundle, say which log and ' +
          'witnesses to trust: --policy FILE.',
      );
    }
    const source = await readSource(io, options.file);
    if (isForBundle || isBundle(source)) return await runVerifyBundle(options, source, io);
    return await verifyCertificateFile(options, source, io);
  });
}

async function verifyCertificateFile(
  options: CommandOptions,
  source: Uint8Array,
  io: CommandIo,
): Promise<ExitCode> {
  const keys = await readPublicKeys(io, options.valueOf('public-key')!);
  const { payload, keyId, ...checks } = checkCertificate(source, keys);
  const named: NamedCheck[] = [
    { name: 'schema', outcome: checks.schema },
    { name: 'payload hash', outcome: checks.payloadHash },
    { name: 'signature', outcome: checks.signature, found: `key ${keyId}` },
    ...(await checkContent(payload, options, io)),
  ];
  if (options.json) {
    const json = { ...verdictToJson(named), certificateId: payload?.id, keyId };
    io.stdout(JSON.stringify({ ...json, ...checksToJson(named) }));
  } else {
    printChecks(io, payload, named);
  }
  return exitCodeOf(named);
}
