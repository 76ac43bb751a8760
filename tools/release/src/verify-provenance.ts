import { createPublicKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { verifyEnvelope } from './provenance/dsse.ts';
import type { Envelope } from './provenance/dsse.ts';
import type { Provenance } from './provenance/to-provenance.ts';

/**
 * Runs `npm run provenance -- FILE --key PUBLIC_KEY [--digest sha256:...]`: verifies the signature
 * of a provenance and prints its subjects and sources. With a digest, exits with 1 unless the
 * provenance has a subject with it.
 */
const main = async (): Promise<void> => {
  const options = { key: { type: 'string' }, digest: { type: 'string' } } as const;
  const { positionals, values } = parseArgs({ allowPositionals: true, options });
  const [file] = positionals;
  if (!file || !values.key) throw new Error('provenance takes FILE --key PUBLIC_KEY.');
  const envelope = JSON.parse(await readFile(file, 'utf8')) as Envelope;
  const key = createPublicKey(await readFile(values.key, 'utf8'));
  const { subject, predicate } = verifyEnvelope(envelope, key) as Provenance;
  const digest = values.digest?.replace('sha256:', '');
  const lines = [
    ...subject.map((one) => `subject ${one.name} sha256:${one.digest.sha256}`),
    ...predicate.buildDefinition.resolvedDependencies.map(
      (one) => `source  ${one.name} ${JSON.stringify(one.digest ?? {})}`,
    ),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  if (digest && !subject.some((one) => one.digest.sha256 === digest)) {
    throw new Error(`No subject has the digest sha256:${digest}.`);
  }
};

await main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
